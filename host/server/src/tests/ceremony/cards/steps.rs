//! Steps of an attempt with a card, and the requests that take them.

use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::attempt::{ATTEMPTS, DRIVE};
use parafa_ceremony::ceremonies::SubmittedSignature;
use parafa_domain::{AttemptFailure, Phase};
use parafa_platform::jobs::LEASE;
use parafa_store::StoreError;
use parafa_store::faulty::FaultPlan;
use parafa_store::jobs::{self, HastenOutcome};

use super::{CARD, ceremony, complete, driven, send_certificate, signed, start};
use crate::tests::ceremony::return_from_app::is_over_after;
use crate::tests::support::{Posted, Site, Stage};

/// Time limit for a card's app.
const CARD_WITHIN: SignedDuration = SignedDuration::from_mins(5);
/// Maximum number of polls for the card's signature, 5 ms apart.
const MOST_LOOKS: usize = 2000;

/// Starts an attempt and returns the card's signature for it.
async fn begun_and_signed(stage: &Stage<'_>) -> SubmittedSignature {
    start(stage).await;
    let asked = send_certificate(stage, CARD).await.unwrap();
    signed(stage, CARD, &asked).await
}

/// Waits until the card's signature is accepted.
async fn taken(stage: &Stage<'_>) {
    for _ in 0..MOST_LOOKS {
        let turn = stage.signing().await.ceremony.turn;
        if turn.is_some_and(|turn| turn.device_signed) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nobody takes what the card has signed");
}

#[tokio::test]
async fn nothing_is_to_be_done_while_the_app_of_a_card_is_waited_for() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let is_notified = || stage.host.app.work.notified().now_or_never().is_some();
    // A signing that was posted has notified the runner.
    is_notified();
    for _ in 0..2 {
        start(&stage).await;
        assert!(!is_notified(), "there is work for the runner");
    }
    assert_eq!(stage.host.run_due().await, 0, "for the certificate");

    let asked = send_certificate(&stage, CARD).await.unwrap();
    assert_eq!(stage.host.run_due().await, 0, "for the signature");

    let signature = signed(&stage, CARD, &asked).await;
    assert_eq!(complete(&stage, &signature).await.unwrap(), Phase::Done);
}

#[tokio::test]
async fn the_certificate_of_a_card_is_checked_and_accepted_in_one_step() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    start(&stage).await;
    let before = stage.newest_attempt().await.step_number;

    send_certificate(&stage, CARD).await.unwrap();

    // The certificate was checked, and the document prepared.
    assert_eq!(stage.newest_attempt().await.step_number, before + 2);
}

#[tokio::test]
async fn what_a_card_has_signed_is_finished_by_the_next_step_and_not_given_up_any_more() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let signature = begun_and_signed(&stage).await;
    let open = ceremony(&stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let finish = async {
        taken(&stage).await;
        assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);
        let given_up = ceremonies.give_up_attempt(&open).await;
        let is_refused = matches!(given_up, Err(CeremonyError::Busy));
        assert!(is_refused, "{given_up:?}");
        assert_eq!(stage.host.run_due().await, 1);
    };

    let call = ceremonies.submit_signature(&open, &signature);
    let (ended, ()) = tokio::join!(call, finish);

    assert_eq!(ended.unwrap().phase, Phase::Done);
}

#[tokio::test]
async fn what_a_card_has_signed_is_finished_once_and_told_to_both_who_send_it_at_once() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let signature = begun_and_signed(&stage).await;
    let open = ceremony(&stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let both = async {
        tokio::join!(
            ceremonies.submit_signature(&open, &signature),
            ceremonies.submit_signature(&open, &signature)
        )
    };

    let (one, other) = driven(&stage.host, both).await;

    assert_eq!(one.unwrap().phase, Phase::Done);
    assert_eq!(other.unwrap().phase, Phase::Done);
    assert_eq!(stage.signing().await.versions.len(), 2);
}

#[tokio::test]
async fn a_card_that_signs_while_somebody_is_at_work_on_its_attempt_signs_all_the_same() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let signature = begun_and_signed(&stage).await;
    let job = jobs::unique_key(DRIVE, stage.newest_attempt().await.id);
    let store = &stage.host.app.records.store;
    let hastened: Result<_, StoreError> = store
        .transact(|tx| {
            let job = &job;
            Box::pin(async move {
                let now = tx.now();
                jobs::hasten(tx, ATTEMPTS, job, now).await
            })
        })
        .await;
    assert_eq!(hastened.unwrap(), HastenOutcome::Due);
    assert_eq!(stage.host.claim(ATTEMPTS, 1).await.len(), 1, "and dies");
    let open = ceremony(&stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let lapse = async {
        taken(&stage).await;
        site.pass(LEASE);
    };

    let call = ceremonies.submit_signature(&open, &signature);
    let (ended, ()) = tokio::join!(driven(&stage.host, call), lapse);

    assert_eq!(ended.unwrap().phase, Phase::Done);
}

#[tokio::test]
async fn what_a_card_signs_while_a_step_finds_it_too_late_is_not_thrown_away() {
    let site = Site::start().await;
    let (mut waits, mut heard) = (0, 0);
    loop {
        let stage = Stage::set(&site, Posted::toy("honest")).await;
        let signature = begun_and_signed(&stage).await;
        site.pass(CARD_WITHIN);
        let slow = FaultPlan {
            max_yields: 1,
            ..FaultPlan::default()
        };
        let host = stage.deployment.host(slow).await.unwrap();
        let claimed = host.app.records.store.claim_due(ATTEMPTS, 1, LEASE).await;
        let mut job = claimed.unwrap().pop().expect("it waits for the card");
        let open = ceremony(&stage).await;
        let ceremonies = &stage.host.app.ceremonies;

        let mut step = pin!(host.runner.run_one(&mut job));
        let step_was_over = is_over_after(step.as_mut(), waits).await;
        let mut call = pin!(ceremonies.submit_signature(&open, &signature));
        let ended = tokio::select! {
            ended = &mut call => Some(ended),
            () = taken(&stage) => None,
        };
        if !step_was_over {
            step.await;
        }

        if let Some(ended) = ended {
            assert!(matches!(ended, Err(CeremonyError::NotFound)));
            let failure = stage.newest_attempt().await.failure;
            assert_eq!(failure, Some(AttemptFailure::Timeout));
        } else {
            let ended = driven(&stage.host, call).await;
            assert_eq!(ended.unwrap().phase, Phase::Done);
            heard += 1;
        }
        if step_was_over {
            break;
        }
        waits += 1;
    }
    assert!(heard > 2, "{heard} of {waits}");
}
