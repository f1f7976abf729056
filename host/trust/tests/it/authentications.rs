//! Certificates with which persons authenticate, and what they sign.

use std::sync::Arc;

use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Signer};
use parafa_trust::{
    AuthenticationCheck, AuthorityKind, CertificateRejection, CheckedSigner, Purpose, PurposeFault,
    SignatureFault, SignatureScheme, TrustAnchors, TrustEntry,
};
use x509_cert::ext::pkix::KeyUsages;

use crate::authority::{Identity, Template, on_curve, rsa};
use crate::port::FakePort;
use crate::responder::{Responder, Status};
use crate::world::{METHOD, OCSP_URL, World, now, ocsp_client};

const CLIENT_AUTH: &str = "1.3.6.1.5.5.7.3.2";
const DOCUMENT_SIGNING: &str = "1.3.6.1.4.1.311.10.3.12";
const MESSAGE: &[u8] = b"what is signed";

/// As the State's cards have it: the code without its prefix, no statements.
fn card() -> Template {
    Template::new("VARDENĖ PAVARDENĖ")
        .attribute("serialNumber", "50001018865")
        .serial(200)
        .ocsp_url(OCSP_URL)
        .key_usage(KeyUsages::DigitalSignature.into())
        .extended_key_usage(false, &[CLIENT_AUTH])
}

async fn check(world: &World, holder: &Identity) -> Result<CheckedSigner, CertificateRejection> {
    check_with(world, holder, Purpose::Authentication, |responder| {
        responder
    })
    .await
}

async fn check_with(
    world: &World,
    holder: &Identity,
    purpose: Purpose,
    responder: impl Fn(Responder) -> Responder,
) -> Result<CheckedSigner, CertificateRejection> {
    let issuing = world.issuing.certificate();
    let mut entry = TrustEntry::new(issuing, AuthorityKind::Issuing, &[purpose]);
    entry.policies = vec!["1.2.3".parse().expect("an OID")];
    let anchors = Arc::new(TrustAnchors::new(vec![entry]));
    let responder = responder(Responder::new(&world.responder));
    let port = FakePort::default().at(OCSP_URL, move |request| responder.answer(request));
    let check = AuthenticationCheck::new(anchors, ocsp_client(port));
    check.check(&holder.certificate(), METHOD, now()).await
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
            PurposeFault::NoClientAuthentication,
        ),
    ] {
        match check(&world, &template.issued_by(&world.issuing)).await {
            Err(CertificateRejection::Purpose(fault)) => assert_eq!(fault, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_authority_for_signatures_alone_vouches_for_nobody_here() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);

    let rejected = check_with(&world, &holder, Purpose::Signing, |responder| responder).await;

    let is_untrusted = matches!(rejected, Err(CertificateRejection::Untrusted(_)));
    assert!(is_untrusted, "{rejected:?}");
}

#[tokio::test]
async fn a_revoked_certificate_does_not_authenticate() {
    let world = World::new();
    let holder = card().issued_by(&world.issuing);
    let revoked = |mut responder: Responder| {
        responder.status = Status::Revoked;
        responder
    };

    let rejected = check_with(&world, &holder, Purpose::Authentication, revoked).await;

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
