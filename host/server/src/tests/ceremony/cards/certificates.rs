//! Certificates of cards that are refused, and the effect on the attempt.

use jiff::SignedDuration;
use parafa_ceremony::records::{Prompt, PromptsRow};
use parafa_ceremony::{AttemptsOf, CeremonyError};
use parafa_domain::{AttemptFailure, Phase};
use parafa_trust::Certificate;
use uuid::Uuid;

use super::{CARD, ceremony, complete, driven, send_certificate, signed, start};
use crate::tests::support::{Certified, KeyUse, Site, Stage};

const OTHER: &str = "card-p256";

#[tokio::test]
async fn a_key_on_a_curve_that_is_not_verified_is_refused_with_its_certificate_and_ends_nothing() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    start(&stage).await;
    let der = Certified::on_another_curve(&site, KeyUse::Signing);
    let open = ceremony(&stage).await;

    let refused = stage.host.app.ceremonies.submit_certificate(&open, der);
    let refused = driven(&stage.host, refused).await;

    let Err(CeremonyError::CardRefused { member, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(member, "/certificate");
    let asked = send_certificate(&stage, CARD).await.unwrap();
    let signed = signed(&stage, CARD, &asked).await;
    assert_eq!(complete(&stage, &signed).await.unwrap(), Phase::Done);
}

#[tokio::test]
async fn what_is_no_certificate_ends_nothing_and_another_certificate_ends_the_attempt() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    start(&stage).await;
    let open = ceremony(&stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let garbage = ceremonies.submit_certificate(&open, b"garbage".to_vec());
    let refused = garbage.await;
    assert!(matches!(refused, Err(CeremonyError::CardRefused { .. })));
    send_certificate(&stage, CARD).await.unwrap();

    let swapped = send_certificate(&stage, OTHER).await;

    assert!(matches!(swapped, Err(CeremonyError::CardRefused { .. })));
    let failure = stage.newest_attempt().await.failure;
    assert_eq!(failure, Some(AttemptFailure::IdentityMismatch));
    assert_eq!(stage.signing().await.ceremony.turn, None);
}

#[tokio::test]
async fn a_person_who_was_asked_too_often_is_told_when_the_hour_is_over() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    let certificate = Certificate::from_der(&site.card_certificate(CARD).await).unwrap();
    let person = certificate.national_identifier().unwrap();
    let ended = Prompt {
        attempt: Uuid::now_v7(),
        at: app.records.store.now().await.unwrap(),
        waits: false,
    };
    let asked = PromptsRow {
        person: app.ceremonies.prompts().prompted_person(person.as_str()),
        attempts: vec![ended; 30],
    };
    stage.host.put(&asked).await;
    site.pass(SignedDuration::from_mins(20));
    start(&stage).await;

    let refused = send_certificate(&stage, CARD).await;

    let Err(CeremonyError::TooManyAttempts { of, retry_after }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(of, AttemptsOf::Person);
    assert!((2300..=2401).contains(&retry_after), "{retry_after}");
}
