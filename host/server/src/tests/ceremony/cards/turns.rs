//! Cards used while another signer has the turn, or after their own turn
//! lapsed.

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_domain::{AttemptFailure, Phase};
use parafa_store::Clock;

use super::{CARD, ceremony, complete, send_certificate, signed, start, state};
use crate::tests::support::{Log, SIGN, Site, Stage};

#[tokio::test]
async fn the_code_of_a_card_that_nobody_reads_is_dead_after_minutes_in_which_others_sign() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let other = stage.signing().await.ceremony.signers[1].id.uuid();
    start(&stage).await;
    let code = state(&stage).await.pairing.unwrap().code;
    stage.host.start(other, SIGN[0]).await.unwrap();
    stage
        .until(async || stage.signing().await.versions.len() == 2)
        .await;

    site.pass(SignedDuration::from_mins(5));
    stage.host.run_all().await;

    let failure = stage.newest_attempt().await.failure;
    assert_eq!(failure, Some(AttemptFailure::Timeout));
    let late = stage.host.app.ceremonies.pair(&code).await;
    assert!(matches!(late, Err(CeremonyError::NotFound)));
}

#[tokio::test]
async fn a_card_that_comes_while_another_signs_is_refused_and_signs_then() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let other = stage.signing().await.ceremony.signers[1].id.uuid();
    start(&stage).await;
    let code = state(&stage).await.pairing.unwrap().code;
    stage.host.app.ceremonies.pair(&code).await.unwrap();
    stage.host.start(other, SIGN[0]).await.unwrap();

    let der = site.card_certificate(CARD).await;
    let early = ceremony(&stage).await;
    let early = stage
        .host
        .app
        .ceremonies
        .submit_certificate(&early, der)
        .await;
    assert!(matches!(early, Err(CeremonyError::Busy)), "{early:?}");
    stage
        .until(async || stage.signing().await.versions.len() == 2)
        .await;
    stage.host = stage.deployment.sound_host().await;
    let asked = send_certificate(&stage, CARD).await.unwrap();
    // The app has minutes for the PIN, even if the page goes away.
    site.pass(SignedDuration::from_mins(1));
    let turn = stage.signing().await.ceremony.turn.unwrap();
    assert!(turn.until <= site.clock.now() + SignedDuration::from_mins(4));
    let signature = signed(&stage, CARD, &asked).await;

    assert_eq!(complete(&stage, &signature).await.unwrap(), Phase::Done);
    assert_eq!(stage.signing().await.versions.len(), 3);
}

#[tokio::test]
async fn whoever_waits_for_the_turn_goes_on_at_once_when_it_is_given_up() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let waiting = stage.signer;
    let other = stage.signing().await.ceremony.signers[1].id.uuid();
    stage.open_link().await;
    stage.signer = other;
    start(&stage).await;
    send_certificate(&stage, CARD).await.unwrap();
    stage.signer = waiting;
    site.follow(&stage.shown_link().await.qr).await;
    stage.reach(Phase::Signing).await;
    stage.host.run_all().await;
    assert_eq!(stage.host.run_due().await, 0, "it waits for a second");

    stage.signer = other;
    stage.give_up().await;

    assert_eq!(stage.host.run_due().await, 1, "it need not");
    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn a_card_that_signs_after_its_turn_lapsed_and_an_archive_was_made_is_refused_at_once() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.other_signs().await;
    start(&stage).await;
    let asked = send_certificate(&stage, CARD).await.unwrap();
    let signature = signed(&stage, CARD, &asked).await;
    stage.archive_after(SignedDuration::from_mins(5)).await;
    let open = ceremony(&stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let log = Log::open();

    // No step is run meanwhile, and a repetition gets the same answer.
    for _ in 0..2 {
        let refused = ceremonies.submit_signature(&open, &signature).await;
        let Err(CeremonyError::AttemptFailed { failure, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(failure, AttemptFailure::DocumentChanged);
    }

    let log = log.take();
    assert_eq!(log.matches("attempt ended").count(), 1, "{log}");
    assert!(log.contains("document_changed"), "{log}");
    stage.assert_document_changed().await;
    stage.host.run_all().await;
    stage.assert_document_changed().await;
}
