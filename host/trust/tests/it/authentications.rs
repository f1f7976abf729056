//! Persons' authentication certificates, and their signatures.

use std::sync::Arc;

use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Signer};
use parafa_issuing::oids::rfc4519::SERIAL_NUMBER;
use parafa_trust::{
    AuthorityKind, CertificateRejection, CheckedSigner, Purpose, PurposeFault, SignatureFault,
    SignatureScheme, TrustAnchors, TrustEntry,
};
use x509_cert::ext::pkix::KeyUsages;

use crate::authority::{Identity, Template, on_curve, rsa};
use crate::port::FakePort;
use crate::responder::{Responder, Status};
use crate::world::{OCSP_URL, World, authentication_check, now};

const CARD: &str = "physical";
const SMART_ID: &str = "smart_id";
const SMART_ID_AUTHENTICATION: &str = "1.3.6.1.4.1.62306.5.7.0";
const CLIENT_AUTH: &str = "1.3.6.1.5.5.7.3.2";
const DOCUMENT_SIGNING: &str = "1.3.6.1.4.1.311.10.3.12";
const MESSAGE: &[u8] = b"what is signed";

/// Like the State's cards: the code without its prefix, no statements.
fn card() -> Template {
    Template::new("VARDENĖ PAVARDENĖ")
        .attribute(SERIAL_NUMBER, "50001018865")
        .serial(200)
        .ocsp_url(OCSP_URL)
        .key_usage(KeyUsages::DigitalSignature.into())
        .extended_key_usage(false, &[CLIENT_AUTH])
}

async fn check(world: &World, holder: &Identity) -> Result<CheckedSigner, CertificateRejection> {
    check_by(world, holder, CARD).await
}

async fn check_by(
    world: &World,
    holder: &Identity,
    method: &str,
) -> Result<CheckedSigner, CertificateRejection> {
    let purpose = Purpose::Authentication;
    check_with(world, holder, method, purpose, |responder| responder).await
}

async fn check_with(
    world: &World,
    holder: &Identity,
    method: &str,
    purpose: Purpose,
    responder: impl Fn(Responder) -> Responder,
) -> Result<CheckedSigner, CertificateRejection> {
    let issuing = world.issuing.certificate();
    let mut entry = TrustEntry::new(issuing, AuthorityKind::Issuing, &[purpose]);
    entry.policies = vec!["1.2.3".parse().expect("an OID")];
    let anchors = Arc::new(TrustAnchors::new(vec![entry]));
    let responder = responder(Responder::new(&world.responder));
    let port = FakePort::default().at(OCSP_URL, move |request| responder.answer(request));
    let check = authentication_check(anchors, port);
    check.check(&holder.certificate(), method, now()).await
}

#[tokio::test]
async fn a_card_s_authentication_certificate_passes() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);

    let checked = check(&world, &holder).await.expect("a holder");

    assert_eq!(checked.chain_der(), [holder.der(), world.issuing.der()]);
    let identifier = checked.chain[0].national_identifier().expect("a code");
    assert_eq!(identifier.as_str(), "PNOLT-50001018865");
    let bare = card().without("2.5.29.37").issued_by(&world.issuing);
    assert!(check(&world, &bare).await.is_ok(), "no extKeyUsage");
}

#[tokio::test]
async fn a_key_for_anything_else_does_not_authenticate() {
    let world = World::new();
    let both = KeyUsages::DigitalSignature | KeyUsages::NonRepudiation;
    for (template, expected) in [
        (card().key_usage(both), PurposeFault::NonRepudiation),
        (
            card().key_usage(KeyUsages::KeyEncipherment.into()),
            PurposeFault::NoDigitalSignature,
        ),
        (
            card().without("2.5.29.15"),
            PurposeFault::NoDigitalSignature,
        ),
        (
            card().extended_key_usage(false, &[DOCUMENT_SIGNING]),
            PurposeFault::NotForAuthentication,
        ),
    ] {
        match check(&world, &template.issued_by(&world.issuing)).await {
            Err(CertificateRejection::Purpose(fault)) => assert_eq!(fault, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn smart_id_authenticates_by_its_own_purpose_or_the_older_profile_alone() {
    let world = World::new();
    let digital = KeyUsages::DigitalSignature.into();
    let older =
        KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment | KeyUsages::DataEncipherment;
    let half = KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment;
    for (usage, purposes, by_smart_id, by_card) in [
        (digital, &[SMART_ID_AUTHENTICATION][..], true, false),
        (older, &[CLIENT_AUTH], true, true),
        (digital, &[CLIENT_AUTH], false, true),
        (half, &[CLIENT_AUTH], false, true),
        (older, &[DOCUMENT_SIGNING], false, false),
        (older, &[], false, true),
    ] {
        let template = card().key_usage(usage);
        let template = match purposes {
            [] => template.without("2.5.29.37"),
            purposes => template.extended_key_usage(false, purposes),
        };
        let holder = template.issued_by(&world.issuing);
        for (method, passes) in [(SMART_ID, by_smart_id), (CARD, by_card)] {
            let checked = check_by(&world, &holder, method).await;
            let is_refused = matches!(
                checked,
                Err(CertificateRejection::Purpose(
                    PurposeFault::NotForAuthentication
                ))
            );
            assert_eq!(
                (checked.is_ok(), is_refused),
                (passes, !passes),
                "{method}: {purposes:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_answer_of_the_issuer_that_is_older_than_fifteen_minutes_authenticates_nobody() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);
    for (this_update, passes) in [("20261121154500Z", true), ("20261121154459Z", false)] {
        let told = |mut responder: Responder| {
            responder.this_update = this_update;
            responder
        };

        let checked = check_with(&world, &holder, CARD, Purpose::Authentication, told).await;

        let is_unavailable = matches!(
            checked,
            Err(CertificateRejection::RevocationUnavailable { .. })
        );
        assert_eq!(
            (checked.is_ok(), is_unavailable),
            (passes, !passes),
            "{this_update}"
        );
    }
}

#[tokio::test]
async fn an_authority_for_signatures_alone_vouches_for_nobody_here() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);

    let rejected = check_with(&world, &holder, CARD, Purpose::Signing, |responder| {
        responder
    })
    .await;

    let is_untrusted = matches!(rejected, Err(CertificateRejection::Untrusted(_)));
    assert!(is_untrusted, "{rejected:?}");
}

#[test]
fn a_certificate_is_trusted_outside_its_validity_if_it_was_or_will_be_inside() {
    let (world, foreign) = (World::new(), World::new());
    let issuing = world.issuing.certificate();
    let purposes = [Purpose::Authentication];
    let mut entry = TrustEntry::new(issuing, AuthorityKind::Issuing, &purposes);
    entry.methods = vec![CARD.to_owned()];
    let anchors = Arc::new(TrustAnchors::new(vec![entry]));
    let check = authentication_check(anchors, FakePort::default());
    let expired = card().validity("20200101000000Z", "20261121155959Z");
    let early = card().validity("20261121160001Z", "20300101000000Z");

    for template in [card(), expired, early] {
        for (authority, is_trusted) in [(&world.issuing, true), (&foreign.issuing, false)] {
            let holder = template.clone().issued_by(authority).certificate();
            assert_eq!(check.is_trusted(&holder, CARD, now()), is_trusted);
            assert!(!check.is_trusted(&holder, SMART_ID, now()));
        }
    }
    assert!(check.has_anchor_for(CARD) && !check.has_anchor_for(SMART_ID));
}

#[tokio::test]
async fn a_revoked_certificate_does_not_authenticate() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);
    let revoked = |mut responder: Responder| {
        responder.status = Status::Revoked;
        responder
    };

    let rejected = check_with(&world, &holder, CARD, Purpose::Authentication, revoked).await;

    let is_revoked = matches!(rejected, Err(CertificateRejection::Revoked { .. }));
    assert!(is_revoked, "{rejected:?}");
}

#[test]
fn sha_256_signatures_of_every_scheme_verify_over_what_was_signed_alone() {
    let world = World::new();
    let schemes = [SignatureScheme::RsaPkcs1, SignatureScheme::RsaPss];
    let rsa = card().key(rsa(2048)).issued_by(&world.issuing);
    let mut cases = vec![(on_p384(&world), SignatureScheme::Ecdsa)];
    cases.extend(schemes.map(|scheme| (rsa.clone(), scheme)));
    for (holder, scheme) in cases {
        let certificate = holder.certificate();
        let value = sign(&holder, scheme);

        let verify = |message: &[u8]| certificate.verify_sha256(scheme, message, &value);
        assert_eq!(verify(MESSAGE), Ok(()), "{scheme:?}");
        assert_eq!(
            verify(b"other"),
            Err(SignatureFault::Mismatch),
            "{scheme:?}"
        );
    }
}

#[test]
fn a_key_verifies_no_scheme_of_another_kind() {
    let holder = on_p384(&World::new());
    let verified =
        holder
            .certificate()
            .verify_sha256(SignatureScheme::RsaPkcs1, MESSAGE, &[1; 256]);

    assert!(
        matches!(verified, Err(SignatureFault::Key(_))),
        "{verified:?}"
    );
}

fn on_p384(world: &World) -> Identity {
    let key = on_curve(Nid::SECP384R1);
    card().key(key).issued_by(&world.issuing)
}

fn sign(holder: &Identity, scheme: SignatureScheme) -> Vec<u8> {
    let mut signer = Signer::new(MessageDigest::sha256(), &holder.key).expect("a signer");
    if scheme == SignatureScheme::RsaPss {
        let padding = signer.set_rsa_padding(Padding::PKCS1_PSS);
        padding
            .and_then(|()| signer.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH))
            .expect("PSS");
    }
    signer.sign_oneshot_to_vec(MESSAGE).expect("a signature")
}
