use std::sync::Arc;

use der::asn1::ObjectIdentifier;
use jiff::SignedDuration;
use parafa_trust::{
    AuthorityKind, CertificateRejection, CheckedSigner, Purpose, PurposeFault, QualificationFault,
    TrustAnchors, TrustEntry,
};
use x509_cert::ext::pkix::KeyUsages;

use crate::asn1::{oid, sequence};
use crate::authority::{Identity, QC_COMPLIANCE, QC_SSCD, Template};
use crate::port::FakePort;
use crate::responder::{Responder, Status};
use crate::world::{
    METHOD, OCSP_URL, World, now, responder_template, signer_check, signer_template,
};

fn honest(world: &World) -> FakePort {
    answering(Responder::new(&world.responder))
}

fn answering(responder: Responder) -> FakePort {
    FakePort::default().at(OCSP_URL, move |request| responder.answer(request))
}

async fn check(world: &World, signer: &Identity) -> Result<CheckedSigner, CertificateRejection> {
    let check = signer_check(&world.anchors(), honest(world));
    check
        .check_signer(&signer.certificate(), METHOD, now())
        .await
}

async fn check_against(
    world: &World,
    entries: Vec<TrustEntry>,
    signer: &Identity,
) -> Result<CheckedSigner, CertificateRejection> {
    let anchors = Arc::new(TrustAnchors::new(entries));
    let check = signer_check(&anchors, honest(world));
    check
        .check_signer(&signer.certificate(), METHOD, now())
        .await
}

fn qualification(result: Result<CheckedSigner, CertificateRejection>) -> QualificationFault {
    match result {
        Err(CertificateRejection::NotQualified(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_qualified_signer_passes_with_the_chain() {
    let world = World::new();
    let signer = world.signer();
    let checked = check(&world, &signer).await.expect("a signer");
    assert_eq!(checked.chain_der(), [signer.der(), world.issuing.der()]);
}

#[tokio::test]
async fn a_root_anchor_is_reached_through_a_configured_intermediate() {
    let world = World::new();
    let entry = |identity: &Identity, kind| {
        TrustEntry::new(identity.certificate(), kind, &[Purpose::Signing])
    };
    let root = entry(&world.root, AuthorityKind::Root);
    let intermediate = entry(&world.issuing, AuthorityKind::Intermediate);
    let signer = world.signer();
    let checked = check_against(&world, vec![root.clone(), intermediate.clone()], &signer).await;
    let expected = [signer.der(), world.issuing.der(), world.root.der()];
    assert_eq!(checked.expect("a signer").chain_der(), expected);
    for entries in [vec![root], vec![intermediate]] {
        let rejected = check_against(&world, entries, &signer).await;
        assert!(
            matches!(rejected, Err(CertificateRejection::Untrusted(_))),
            "{rejected:?}"
        );
    }
}

#[tokio::test]
async fn the_anchor_nearest_to_the_leaf_decides() {
    let world = World::new();
    let root = TrustEntry::new(
        world.root.certificate(),
        AuthorityKind::Root,
        &[Purpose::Signing],
    );
    let mut issuing = world.entry();
    issuing.policies = vec![ObjectIdentifier::new_unwrap("1.2.3")];
    let rejected = check_against(&world, vec![root, issuing], &world.signer()).await;
    let policy = ObjectIdentifier::new_unwrap("1.2.3");
    assert_eq!(
        qualification(rejected),
        QualificationFault::NoPolicy(policy)
    );
}

#[tokio::test]
async fn an_expired_certificate_and_one_of_tomorrow_are_refused() {
    let world = World::new();
    let expired = signer_template().validity("20200101000000Z", "20261121155959Z");
    let rejected = check(&world, &expired.issued_by(&world.issuing)).await;
    assert!(
        matches!(rejected, Err(CertificateRejection::Expired { .. })),
        "{rejected:?}"
    );
    let early = signer_template().validity("20261121160001Z", "20300101000000Z");
    let rejected = check(&world, &early.issued_by(&world.issuing)).await;
    assert!(
        matches!(rejected, Err(CertificateRejection::NotYetValid { .. })),
        "{rejected:?}"
    );
    let begun = signer_template().validity("20261121160000Z", "20300101000000Z");
    let checked = check(&world, &begun.issued_by(&world.issuing)).await;
    checked.expect("a signer in the first second");
}

#[tokio::test]
async fn a_path_that_was_found_holds_no_longer_than_its_authority() {
    let mut world = World::new();
    world.issuing = Template::authority("Test Issuing")
        .serial(2)
        .validity("20200101000000Z", "20261121170000Z")
        .issued_by(&world.root);
    world.responder = responder_template().issued_by(&world.issuing);
    let check = signer_check(&world.anchors(), honest(&world));
    let signer = world.signer().certificate();

    for hours in [0, 1, 0] {
        let at = now() + SignedDuration::from_hours(hours);
        let checked = check.check_signer(&signer, METHOD, at).await;
        match hours {
            0 => drop(checked.expect("a signer")),
            _ => assert!(
                matches!(checked, Err(CertificateRejection::Untrusted(_))),
                "{checked:?}"
            ),
        }
    }
}

#[tokio::test]
async fn a_certificate_of_another_authority_of_the_same_name_is_untrusted() {
    let world = World::new();
    let impostor = World::new();
    let rejected = check(&world, &impostor.signer()).await;
    assert!(
        matches!(rejected, Err(CertificateRejection::Untrusted(_))),
        "{rejected:?}"
    );
}

#[tokio::test]
async fn a_certificate_below_an_end_entity_is_untrusted() {
    let world = World::new();
    let fake_issuer = world.signer();
    let rejected = check_against(
        &world,
        vec![
            world.entry(),
            TrustEntry::new(
                fake_issuer.certificate(),
                AuthorityKind::Intermediate,
                &[Purpose::Signing],
            ),
        ],
        &signer_template().issued_by(&fake_issuer),
    )
    .await;
    assert!(
        matches!(rejected, Err(CertificateRejection::Untrusted(_))),
        "{rejected:?}"
    );
    // OpenSSL tolerates an authority without basicConstraints.
    let unmarked = Template::new("Unmarked Issuing")
        .key_usage(KeyUsages::KeyCertSign.into())
        .self_signed();
    let entry = TrustEntry::new(
        unmarked.certificate(),
        AuthorityKind::Issuing,
        &[Purpose::Signing],
    );
    let below = signer_template().issued_by(&unmarked);
    let rejected = check_against(&world, vec![entry], &below).await;
    assert!(
        matches!(rejected, Err(CertificateRejection::Untrusted(_))),
        "{rejected:?}"
    );
}

#[tokio::test]
async fn an_anchor_serves_only_its_methods_and_purposes() {
    let world = World::new();
    let signer = world.signer();
    let mut of_another_method = world.entry();
    of_another_method.methods = vec!["mobile_id".to_owned()];
    let mut of_another_purpose = world.entry();
    of_another_purpose.purposes = vec![Purpose::Timestamping];
    for entry in [of_another_method, of_another_purpose] {
        let rejected = check_against(&world, vec![entry], &signer).await;
        assert!(
            matches!(rejected, Err(CertificateRejection::Untrusted(_))),
            "{rejected:?}"
        );
    }
    let mut of_the_method = world.entry();
    of_the_method.methods = vec![METHOD.to_owned()];
    check_against(&world, vec![of_the_method], &signer)
        .await
        .expect("a signer");
}

#[tokio::test]
async fn a_key_that_is_not_for_signatures_is_refused() {
    let world = World::new();
    let digital = signer_template().key_usage(KeyUsages::DigitalSignature.into());
    let none = signer_template().without("2.5.29.15");
    for template in [digital, none] {
        let rejected = check(&world, &template.issued_by(&world.issuing)).await;
        let Err(CertificateRejection::Purpose(fault)) = rejected else {
            panic!("{rejected:?}");
        };
        assert_eq!(fault, PurposeFault::NoNonRepudiation);
    }
    let card = signer_template().key_usage(KeyUsages::DigitalSignature | KeyUsages::NonRepudiation);
    check(&world, &card.issued_by(&world.issuing))
        .await
        .expect("a signer");
}

#[tokio::test]
async fn what_is_not_qualified_is_refused() {
    let world = World::new();
    let rejected = |template: Template| {
        let signer = template.issued_by(&world.issuing);
        let world = &world;
        async move { qualification(check(world, &signer).await) }
    };
    let seal = sequence(&[
        &oid("0.4.0.1862.1.6"),
        &sequence(&[&oid("0.4.0.1862.1.6.2")]),
    ]);
    let seal = [
        sequence(&[&oid(QC_COMPLIANCE)]),
        sequence(&[&oid(QC_SSCD)]),
        seal,
    ];
    for (template, fault) in [
        (
            signer_template().qc(&[QC_SSCD]),
            QualificationFault::NoCompliance,
        ),
        (
            signer_template().qc(&[QC_COMPLIANCE]),
            QualificationFault::NoSscd,
        ),
        (
            signer_template().without("1.3.6.1.5.5.7.1.3"),
            QualificationFault::NoCompliance,
        ),
        (
            signer_template().qc(&[QC_COMPLIANCE, QC_SSCD, "0.4.0.1862.1.7"]),
            QualificationFault::ForeignLegislation,
        ),
        (
            signer_template().raw_qc(&seal),
            QualificationFault::NotForSignatures,
        ),
    ] {
        assert_eq!(rejected(template).await, fault);
    }
}

#[tokio::test]
async fn all_policies_of_the_anchor_are_required() {
    let world = World::new();
    let mut entry = world.entry();
    let policies = ["1.3.6.1.4.1.10015.17.2", "0.4.0.194112.1.2"];
    entry.policies = policies
        .iter()
        .copied()
        .map(ObjectIdentifier::new_unwrap)
        .collect();
    let one = signer_template()
        .policies(&policies[..1])
        .issued_by(&world.issuing);
    let rejected = check_against(&world, vec![entry.clone()], &one).await;
    let missing = ObjectIdentifier::new_unwrap(policies[1]);
    assert_eq!(
        qualification(rejected),
        QualificationFault::NoPolicy(missing)
    );
    let both = signer_template()
        .policies(&policies)
        .issued_by(&world.issuing);
    check_against(&world, vec![entry], &both)
        .await
        .expect("a signer");
}

#[tokio::test]
async fn an_issuer_outside_its_qualified_time_qualifies_nobody() {
    let world = World::new();
    let mut entry = world.entry();
    entry.qualified_until = Some(now());
    let rejected = check_against(&world, vec![entry], &world.signer()).await;
    assert_eq!(
        qualification(rejected),
        QualificationFault::IssuerNotQualified
    );
}

#[tokio::test]
async fn a_revoked_certificate_is_refused() {
    let world = World::new();
    let mut responder = Responder::new(&world.responder);
    responder.status = Status::Revoked;
    let check = signer_check(&world.anchors(), answering(responder));
    let rejected = check
        .check_signer(&world.signer().certificate(), METHOD, now())
        .await;
    let Err(CertificateRejection::Revoked { at }) = rejected else {
        panic!("{rejected:?}");
    };
    assert_eq!(at.to_string(), "2026-11-01T12:00:00.5Z");
}

#[tokio::test]
async fn a_certificate_unknown_to_its_issuer_is_refused() {
    let world = World::new();
    let mut responder = Responder::new(&world.responder);
    responder.status = Status::Unknown;
    let check = signer_check(&world.anchors(), answering(responder));
    let rejected = check
        .check_signer(&world.signer().certificate(), METHOD, now())
        .await;
    assert!(
        matches!(rejected, Err(CertificateRejection::UnknownToIssuer)),
        "{rejected:?}"
    );
}
