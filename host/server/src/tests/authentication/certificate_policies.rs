//! Certificate policies as relying parties see them, and Smart-ID answers with
//! another level or interaction than requested.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use parafa_auth::AuthError;
use parafa_demo::Service;
use parafa_trust::CertificateRejection;
use serde_json::json;

use super::{by_card, by_phone, end, provider, request};
use crate::tests::support::{
    Certified, Deployment, KeyUse, MOBILE_ID, SIGN, SIGNS_BY_MOBILE_ID, SMART_ID, Site,
};

const NON_QUALIFIED: &str = "1.3.6.1.4.1.10015.17.1";
const NCP: &str = "0.4.0.2042.1.1";
const NCP_PLUS: &str = "0.4.0.2042.1.2";

/// Issues a certificate of an authentication key under these policies, by an
/// authority of the world.
fn certified(site: &Site, authority: &str, serial_number: &str, policies: &[&str]) -> Vec<u8> {
    let curve = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&curve).unwrap()).unwrap();
    let certified = Certified {
        by: authority,
        key_use: KeyUse::Authentication,
        policies,
        is_qualified: false,
    };
    certified.issue(site, serial_number, &key)
}

/// Returns the error of a Smart-ID request whose answer has a member replaced.
async fn error_where(site: &Site, pointer: &str, value: serde_json::Value) -> serde_json::Value {
    site.smart_id().replace(pointer, value);
    let error = error_of(site, Service::SmartId).await;
    site.smart_id().replace_nothing();
    error
}

/// Returns the error with which a request to a phone ends.
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
        (&[SMART_ID, NCP], "not_qualified"),
        (&[SMART_ID], "not_qualified"),
        (&[MOBILE_ID, NCP_PLUS], "not_qualified"),
        (&[], "not_qualified"),
        // This one is valid, but its revocation status cannot be determined.
        (&[SMART_ID, NCP_PLUS], "device_error"),
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
        (&[SMART_ID, NCP_PLUS][..], "not_qualified"),
        (&[NCP_PLUS], "not_qualified"),
        (&[MOBILE_ID, NCP_PLUS], "device_error"),
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
        (&[SMART_ID, NCP_PLUS][..], false),
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
            Err(AuthError::Certificate(CertificateRejection::NoRevocationSource(_))) => {
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
