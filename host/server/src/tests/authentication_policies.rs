//! What a relying party sees of certificates by the policies that they were issued
//! under, and of answers of Smart-ID at another level or by another interaction
//! than it was asked for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::asn1::{Asn1Object, Asn1OctetString, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::x509::extension::KeyUsage;
use openssl::x509::{X509, X509Builder, X509Extension, X509NameBuilder};
use parafa_auth::AuthError;
use parafa_demo::Service;
use parafa_trust::CertificateRejection;
use serde_json::json;

use super::authentications::{SIGNS_BY_MOBILE_ID, by_card, by_phone, end, provider, request};
use super::deployment::{Deployment, SIGN, Site};

const QUALIFIED: &str = "1.3.6.1.4.1.10015.17.2";
const NON_QUALIFIED: &str = "1.3.6.1.4.1.10015.17.1";
const MOBILE_ID: &str = "1.3.6.1.4.1.10015.18.1";
const NCP: &str = "0.4.0.2042.1.1";
const NCP_PLUS: &str = "0.4.0.2042.1.2";

/// The certificate of a key that authenticates somebody, issued under these
/// policies by an authority of the world. It names nobody who could be asked
/// whether it is revoked.
fn certified(site: &Site, authority: &str, serial_number: &str, policies: &[&str]) -> Vec<u8> {
    let file = |folder| site.world_file(&format!("{folder}/authority/{authority}.pem"));
    let issuer = X509::from_pem(&file("certificates")).unwrap();
    let issuer_key = PKey::private_key_from_pem(&file("keys")).unwrap();
    let curve = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&curve).unwrap()).unwrap();
    let mut subject = X509NameBuilder::new().unwrap();
    for (attribute, value) in [("C", "LT"), ("CN", "X"), ("serialNumber", serial_number)] {
        subject.append_entry_by_text(attribute, value).unwrap();
    }
    let time = |text| Asn1Time::from_str(text).unwrap();
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    let serial = BigNum::from_u32(4711).unwrap().to_asn1_integer().unwrap();
    builder.set_serial_number(&serial).unwrap();
    builder.set_subject_name(&subject.build()).unwrap();
    builder.set_issuer_name(issuer.subject_name()).unwrap();
    builder.set_not_before(&time("20260101000000Z")).unwrap();
    builder.set_not_after(&time("20280101000000Z")).unwrap();
    builder.set_pubkey(&key).unwrap();
    let usage = KeyUsage::new().critical().digital_signature().build();
    builder.append_extension(usage.unwrap()).unwrap();
    if !policies.is_empty() {
        builder.append_extension(under(policies)).unwrap();
    }
    builder.sign(&issuer_key, MessageDigest::sha384()).unwrap();
    builder.build().to_der().unwrap()
}

/// `certificatePolicies` (RFC 5280, 4.2.1.4).
fn under(policies: &[&str]) -> X509Extension {
    let tagged = |tag: u8, content: &[u8]| {
        let length = u8::try_from(content.len()).unwrap();
        [&[tag, length], content].concat()
    };
    let information = policies.iter().flat_map(|policy| {
        let policy = Asn1Object::from_str(policy).unwrap();
        tagged(0x30, &tagged(0x06, policy.as_slice()))
    });
    let value = tagged(0x30, &information.collect::<Vec<_>>());
    let value = Asn1OctetString::new_from_bytes(&value).unwrap();
    let name = Asn1Object::from_str("2.5.29.32").unwrap();
    X509Extension::new_from_der(&name, false, &value).unwrap()
}

/// The error with which Smart-ID's request ends when members of its answers are
/// others.
async fn error_where(site: &Site, pointer: &str, value: serde_json::Value) -> serde_json::Value {
    site.smart_id().replace(pointer, value);
    let error = error_of(site, Service::SmartId).await;
    site.smart_id().replace_nothing();
    error
}

/// The error with which a request to a phone ends.
async fn error_of(site: &Site, service: Service) -> serde_json::Value {
    let host = Deployment::new(site).sound_host().await;
    let provider = provider(&host).await;
    let (_, method) = by_phone()
        .into_iter()
        .find(|(asked, _)| *asked == service)
        .unwrap();
    let id = request(&host, &provider, method).await;
    let ended = end(site, &host, id).await;
    serde_json::to_value(&ended).unwrap()["error"]["code"].clone()
}

#[tokio::test]
async fn smart_id_authenticates_by_a_certificate_of_its_own_at_the_level_that_is_asked_for() {
    let site = Site::start().await;
    let person = format!("PNOLT-{}", SIGN[0]);
    for (policies, expected) in [
        (&[NON_QUALIFIED, NCP][..], "not_qualified"),
        (&[NON_QUALIFIED, NCP_PLUS], "not_qualified"),
        (&[QUALIFIED, NCP], "not_qualified"),
        (&[QUALIFIED], "not_qualified"),
        (&[MOBILE_ID, NCP_PLUS], "not_qualified"),
        (&[], "not_qualified"),
        // Nothing is wrong with this one, but that nobody tells whether it is revoked.
        (&[QUALIFIED, NCP_PLUS], "provider_unavailable"),
    ] {
        let der = certified(&site, "eid-q-e", &person, policies);

        let error = error_where(&site, "/cert/value", STANDARD.encode(der).into()).await;

        assert_eq!(error, expected, "{policies:?}");
    }
}

#[tokio::test]
async fn mobile_id_authenticates_by_a_certificate_of_its_own() {
    let site = Site::start().await;
    let (_, code) = SIGNS_BY_MOBILE_ID;
    let person = format!("PNOLT-{code}");
    for (policies, expected) in [
        (&[QUALIFIED, NCP_PLUS][..], "not_qualified"),
        (&[NCP_PLUS], "not_qualified"),
        (&[MOBILE_ID, NCP_PLUS], "provider_unavailable"),
    ] {
        let der = certified(&site, "eid-m-e", &person, policies);
        site.mobile_id()
            .replace("/cert", STANDARD.encode(der).into());

        let error = error_of(&site, Service::MobileId).await;

        assert_eq!(error, expected, "{policies:?}");
    }
}

#[tokio::test]
async fn no_card_has_a_certificate_of_a_phone() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    for (policies, is_card) in [
        (&[QUALIFIED, NCP_PLUS][..], false),
        (&[NON_QUALIFIED, NCP], false),
        (&[MOBILE_ID, NCP_PLUS], false),
        (&["1.3.6.1.4.1.10015.1.3.1"], false),
        (&["1.3.6.1.4.1.33621.2.1.2"], true),
        (&[], true),
    ] {
        let id = request(&host, &provider, by_card()).await;
        let der = certified(&site, "card-ca", "48706189911", policies);

        let refused = host.app.authentications.receive_certificate(id, &der).await;

        match refused {
            Err(AuthError::OtherMeans) => assert!(!is_card, "{policies:?}"),
            Err(AuthError::Certificate(CertificateRejection::RevocationUnavailable(_))) => {
                assert!(is_card, "{policies:?}");
            }
            other => panic!("{policies:?}: {:?}", other.map(|_| ())),
        }
    }
}

#[tokio::test]
async fn an_answer_at_a_lower_level_or_by_an_interaction_that_was_not_offered_authenticates_nobody()
{
    let site = Site::start().await;
    for (pointer, value, expected) in [
        ("/cert/certificateLevel", json!("ADVANCED"), "not_qualified"),
        (
            "/cert/certificateLevel",
            json!("LOW"),
            "provider_unavailable",
        ),
        (
            "/interactionTypeUsed",
            json!("confirmationMessage"),
            "provider_unavailable",
        ),
        (
            "/interactionTypeUsed",
            json!("displayTextAndPIN|"),
            "provider_unavailable",
        ),
        ("/interactionTypeUsed", json!(null), "provider_unavailable"),
    ] {
        let error = error_where(&site, pointer, value.clone()).await;

        assert_eq!(error, expected, "{pointer} = {value}");
    }
    assert_eq!(error_of(&site, Service::SmartId).await, json!(null));
}
