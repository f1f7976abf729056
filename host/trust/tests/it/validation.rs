use std::sync::Arc;

use der::asn1::{Ia5String, ObjectIdentifier};
use openssl::hash::MessageDigest;
use openssl::pkcs7::{Pkcs7, Pkcs7Flags};
use openssl::sign::Signer;
use openssl::stack::Stack;
use parafa_trust::{
    Certificate, Issuer, OcspError, RevocationListFault, SourceFault, TrustAnchors, ValidationData,
    ValidationDataError, ValidationPolicy,
};
use x509_cert::ext::pkix::crl::dp::DistributionPoint;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::ext::pkix::{AccessDescription, AuthorityInfoAccessSyntax, CrlDistributionPoints};

use crate::asn1::{INTEGER, algorithm, bit_string, sequence, time, tlv};
use crate::authority::{Identity, Template};
use crate::port::FakePort;
use crate::responder::{Responder, Status, refusal};
use crate::world::{OCSP_URL, World, now, signer_template};

const ISSUER_URL: &str = "http://issuers.example.com/issuing.crt";
const LIST_URL: &str = "http://lists.example.com/issuing.crl";
const TRY_LATER: u8 = 3;
/// The extension with the addresses of responders and issuers.
const ACCESS: &str = "1.3.6.1.5.5.7.1.1";

#[tokio::test]
async fn a_configured_authority_is_known_without_asking() {
    let world = World::new();
    let data = validation_data(world.anchors(), FakePort::default());

    let issuer = data.issuer(&world.signer().certificate()).await;

    assert_eq!(issuer.unwrap(), authority(&world.issuing));
}

#[tokio::test]
async fn an_unknown_authority_is_fetched_as_a_certificate_or_in_a_bundle() {
    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    for published in [world.issuing.der(), bundle(&world.issuing, &world.root)] {
        let port = FakePort::default().at(ISSUER_URL, move |_| published.clone());
        let data = validation_data(Arc::default(), port);

        let issuer = data.issuer(&signer.certificate()).await;

        assert_eq!(issuer.unwrap(), authority(&world.issuing));
    }
}

#[tokio::test]
async fn a_namesake_did_not_issue_what_it_did_not_sign() {
    let world = World::new();
    let namesake = Template::authority("Test Issuing").self_signed();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let port = FakePort::default().at(ISSUER_URL, move |_| namesake.der());
    let data = validation_data(Arc::default(), port);

    let issuer = data.issuer(&signer.certificate()).await;

    assert!(matches!(
        issuer,
        Err(ValidationDataError::Unusable(SourceFault::NoIssuer))
    ));
}

#[tokio::test]
async fn chains_end_at_what_signed_itself_or_is_configured_and_has_no_known_issuer() {
    let world = World::new();
    let data = validation_data(world.anchors(), FakePort::default());

    for anchor in [&world.root, &world.issuing] {
        let issuer = data.issuer(&anchor.certificate()).await;
        assert_eq!(issuer.unwrap(), Issuer::Anchor);
    }
}

#[tokio::test]
async fn an_issuer_of_whom_nothing_is_known_has_no_source() {
    let world = World::new();
    let data = validation_data(Arc::default(), FakePort::default());

    let issuer = data.issuer(&world.signer().certificate()).await;

    assert!(matches!(issuer, Err(ValidationDataError::NoSource)));
}

#[tokio::test]
async fn what_a_responder_says_is_handed_on_good_or_not() {
    let world = World::new();
    for status in [Status::Good, Status::Revoked] {
        let port = responder_port(&world, status);
        let data = validation_data(world.anchors(), port);

        let response = revocation(&data, &world.signer(), &world.issuing).await;

        assert!(!response.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_list_is_taken_where_no_responder_knows_the_certificate() {
    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let list = revocation_list(&world.issuing, &world.issuing, "20261128000000Z");
    let published = list.clone();
    for port in [
        responder_port(&world, Status::Unknown),
        FakePort::default().failing(OCSP_URL, 404),
    ] {
        let published = published.clone();
        let port = port.at(LIST_URL, move |_| published.clone());
        let data = validation_data(world.anchors(), port);

        let taken = revocation(&data, &signer, &world.issuing).await;

        assert_eq!(taken.unwrap(), list);
    }
}

#[tokio::test]
async fn a_responder_that_is_down_is_waited_for_where_a_list_tells_too_little() {
    let world = World::new();
    let list = revocation_list(&world.root, &world.root, "20261128000000Z");
    let published = list.clone();
    let port = FakePort::default()
        .at(OCSP_URL, |_| refusal(TRY_LATER))
        .at(LIST_URL, move |_| published.clone());
    let data = validation_data(Arc::default(), port);
    let signer = with_addresses(signer_template()).issued_by(&world.root);
    let authority = with_addresses(Template::authority("Another")).issued_by(&world.root);

    let of_signer = revocation(&data, &signer, &world.root).await;
    let of_authority = revocation(&data, &authority, &world.root).await;

    assert!(matches!(
        of_signer,
        Err(ValidationDataError::Unreachable(SourceFault::Ocsp(
            OcspError::Refused(3)
        )))
    ));
    assert_eq!(of_authority.unwrap(), list);
}

#[tokio::test]
async fn a_list_that_is_not_the_issuers_current_one_is_refused() {
    let world = World::new();
    let signer = with_addresses(signer_template())
        .without(ACCESS)
        .issued_by(&world.issuing);
    let mut corrupt = revocation_list(&world.issuing, &world.issuing, "20261128000000Z");
    *corrupt.last_mut().unwrap() ^= 1;
    for (list, is_expected) in [
        (
            revocation_list(&world.root, &world.root, "20261128000000Z"),
            (|fault| matches!(fault, RevocationListFault::OtherIssuer))
                as fn(&RevocationListFault) -> bool,
        ),
        (
            revocation_list(&world.issuing, &world.root, "20261128000000Z"),
            |fault| matches!(fault, RevocationListFault::Signature),
        ),
        (
            revocation_list(&world.issuing, &world.issuing, "20261121150000Z"),
            |fault| matches!(fault, RevocationListFault::OutOfDate),
        ),
        (b"no list".to_vec(), |fault| {
            matches!(fault, RevocationListFault::Malformed(_))
        }),
    ] {
        let port = FakePort::default().at(LIST_URL, move |_| list.clone());
        let data = validation_data(world.anchors(), port);

        let Err(ValidationDataError::Unusable(SourceFault::RevocationList(fault))) =
            revocation(&data, &signer, &world.issuing).await
        else {
            panic!("ended otherwise")
        };
        assert!(is_expected(&fault), "{fault}");
    }
}

fn validation_data(anchors: Arc<TrustAnchors>, port: FakePort) -> ValidationData {
    let port = Arc::new(port);
    let ocsp = parafa_trust::OcspClient::new(
        port.clone(),
        crate::port::random(),
        parafa_trust::OcspPolicy::default(),
    );
    ValidationData::new(port, anchors, ocsp, ValidationPolicy::default())
}

async fn revocation(
    data: &ValidationData,
    certificate: &Identity,
    issuer: &Identity,
) -> Result<Vec<u8>, ValidationDataError> {
    data.revocation(&certificate.certificate(), &issuer.certificate(), now())
        .await
}

fn responder_port(world: &World, status: Status) -> FakePort {
    let responder = Responder {
        status,
        ..Responder::new(&world.responder)
    };
    FakePort::default().at(OCSP_URL, move |request| responder.answer(request))
}

fn authority(identity: &Identity) -> Issuer {
    Issuer::Authority(Box::new(Certificate::from_der(&identity.der()).unwrap()))
}

/// A certificate that says where its issuer is, a responder and a list.
fn with_addresses(template: Template) -> Template {
    let location = |url| GeneralName::UniformResourceIdentifier(Ia5String::new(url).unwrap());
    let access = [
        ("1.3.6.1.5.5.7.48.1", OCSP_URL),
        ("1.3.6.1.5.5.7.48.2", ISSUER_URL),
    ]
    .map(|(method, url)| AccessDescription {
        access_method: ObjectIdentifier::new_unwrap(method),
        access_location: location(url),
    });
    let point = DistributionPoint {
        distribution_point: Some(DistributionPointName::FullName(vec![location(LIST_URL)])),
        reasons: None,
        crl_issuer: None,
    };
    template
        .extension(false, &AuthorityInfoAccessSyntax(access.to_vec()))
        .extension(false, &CrlDistributionPoints(vec![point]))
}

/// A "certs-only" CMS message.
fn bundle(one: &Identity, other: &Identity) -> Vec<u8> {
    let mut certificates = Stack::new().unwrap();
    certificates.push(one.x509.clone()).unwrap();
    let signed = Pkcs7::sign(
        &other.x509,
        &other.key,
        &certificates,
        b"",
        Pkcs7Flags::empty(),
    );
    signed.unwrap().to_der().unwrap()
}

/// An empty list of `issuer` that `signer` signed.
fn revocation_list(issuer: &Identity, signer: &Identity, next_update: &str) -> Vec<u8> {
    const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";

    let version_2 = tlv(INTEGER, &[&[1]]);
    let certificate = issuer.certificate();
    let list = sequence(&[
        &version_2,
        &algorithm(ECDSA_SHA256),
        certificate.subject_der(),
        &time("20261121000000Z"),
        &time(next_update),
    ]);
    let mut signature = Signer::new(MessageDigest::sha256(), &signer.key).unwrap();
    let signature = signature.sign_oneshot_to_vec(&list).unwrap();
    sequence(&[&list, &algorithm(ECDSA_SHA256), &bit_string(&signature)])
}
