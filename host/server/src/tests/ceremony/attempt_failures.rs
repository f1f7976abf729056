//! Plugins that break their contract, unavailable providers, and steps and jobs
//! that fail.

use std::num::NonZeroU16;

use jiff::SignedDuration;
use parafa_demo::{Fault, Service};
use parafa_domain::{AttemptFailure, CeremonyStatus, Phase};
use parafa_platform::jobs::TIMERS;
use parafa_store::engine::MAX_VALUE_BYTES;
use parafa_store::jobs::{self, NewJob};
use parafa_store::{Clock, StoreError};

use crate::tests::support::{Posted, SIGN, Site, Stage, TICK};

#[tokio::test]
async fn a_breach_of_contract_ends_the_attempt_and_the_third_one_the_signing() {
    for behaviour in ["ask-nothing", "ask-two", "panic@prepare"] {
        let site = Site::start().await;
        let stage = Stage::set(&site, Posted::toy(behaviour)).await;
        for breaches in 1..=3 {
            let attempt = stage.attempt().await;

            assert_eq!(attempt.phase, Phase::Failed);
            assert_eq!(attempt.failure, Some(AttemptFailure::PluginFailed));
            let signing = stage.signing().await;
            let expected = if breaches < 3 {
                CeremonyStatus::Pending
            } else {
                CeremonyStatus::Failed
            };
            assert_eq!(signing.ceremony.status, expected, "{behaviour}, {breaches}");
            assert_eq!(signing.detail.is_some(), breaches == 3);
            assert_eq!(signing.ceremony.turn, None);
        }
    }
}

#[tokio::test]
async fn a_breach_after_the_device_has_signed_is_tried_three_times_minutes_apart() {
    for behaviour in ["long-level", "other-value"] {
        let site = Site::start().await;
        let stage = Stage::set(&site, Posted::toy(behaviour)).await;
        stage.host.start(stage.signer, SIGN[0]).await.unwrap();
        stage.first_fault().await;
        let first = site.clock.now();

        let attempt = stage.outcome().await;

        assert_eq!(attempt.failure, Some(AttemptFailure::PluginFailed));
        assert!(site.clock.now().duration_since(first) >= SignedDuration::from_mins(10));
        let signing = stage.signing().await;
        assert_eq!(
            signing.ceremony.status,
            CeremonyStatus::Failed,
            "{behaviour}"
        );
        assert_eq!(signing.versions.len(), 1);
        assert_eq!(stage.deployment.byte_files().len(), 1, "{behaviour}");
    }
}

#[tokio::test]
async fn what_a_person_signs_may_be_longer_than_what_is_kept_of_it() {
    for behaviour in ["largest-need", "long-need"] {
        let site = Site::start().await;
        let stage = Stage::set(&site, Posted::toy(behaviour)).await;

        assert_eq!(stage.attempt().await.phase, Phase::Done, "{behaviour}");

        assert_eq!(stage.signing().await.versions.len(), 2);
    }
}

#[tokio::test]
async fn a_want_of_memory_after_the_device_has_signed_never_fails_the_signing() {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("exhaust@finish")).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach(Phase::Completing).await;
    stage
        .until(async || stage.newest_attempt().await.tries >= 5)
        .await;
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Pending
    );

    site.pass(SignedDuration::from_hours(24));

    assert_eq!(stage.outcome().await.phase, Phase::Failed);
    let signing = stage.signing().await;
    assert_ne!(signing.ceremony.status, CeremonyStatus::Failed);
    assert_eq!(signing.detail, None);
}

#[tokio::test]
async fn a_plugin_that_was_replaced_after_a_breach_finishes_in_its_place() {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("other-value")).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.first_fault().await;

    let replacement = site.replace_toy(1).await;
    site.pass(SignedDuration::from_mins(5));
    stage.host.run_due().await;

    let faults = stage.signing().await.plugin_faults.unwrap();
    assert_eq!((faults.plugin_sha256, faults.count), (replacement, 1));
    for _ in 0..2 {
        assert!(!stage.newest_attempt().await.phase.is_terminal());
        site.pass(SignedDuration::from_mins(5));
        stage.host.run_due().await;
    }
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Failed
    );
}

#[tokio::test]
async fn a_signature_whose_plugin_is_forgotten_is_finished_by_the_one_in_its_place() {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("honest")).await;
    let active = forget_what_prepared(&site, &stage).await;
    site.faults(Service::Tsa).clear();

    assert_eq!(stage.outcome().await.phase, Phase::Done);

    let signing = stage.signing().await;
    let made_by = signing.newest().unwrap().made_by.as_ref().unwrap();
    assert_eq!(made_by.plugin.sha256, active);
}

#[tokio::test]
async fn a_signature_whose_plugin_is_forgotten_waits_while_there_is_none_in_its_place() {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("honest")).await;
    let active = forget_what_prepared(&site, &stage).await.parse().unwrap();
    site.plugins.disable(active);
    site.faults(Service::Tsa).clear();
    let away = site.clock.now() + SignedDuration::from_mins(2);
    while site.clock.now() < away {
        stage.run_or_wait().await;
    }
    assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);

    site.plugins.enable(active);

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

/// Lets the device sign while time-stamps are unavailable. Then installs builds
/// until the one that prepared the signature is forgotten. Returns the last
/// build.
async fn forget_what_prepared(site: &Site, stage: &Stage<'_>) -> String {
    stage.sign_without_timestamps().await;
    for build in 0..4 {
        site.replace_toy(build).await;
    }
    site.replace_toy(4).await
}

#[tokio::test]
async fn a_signature_outlives_a_deadline_that_passed_while_every_host_was_away() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    site.pass(SignedDuration::from_hours(23));
    stage.sign_without_timestamps().await;

    site.pass(SignedDuration::from_hours(72));
    site.faults(Service::Tsa).clear();

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    stage.host.run_all().await;
    assert_eq!(stage.signing().await.versions.len(), 2);
}

#[tokio::test]
async fn a_signature_that_is_fetched_after_the_deadline_is_none() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let day = stage.signing().await.ceremony.expires_at;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach(Phase::WaitingForUser).await;

    site.clock.set(day);
    let attempt = stage.outcome().await;

    assert_eq!(attempt.failure, Some(AttemptFailure::Cancelled));
    stage.host.run_all().await;
    let signing = stage.signing().await;
    assert_eq!(signing.ceremony.status, CeremonyStatus::Expired);
    assert_eq!(signing.versions.len(), 1);
}

#[tokio::test]
async fn an_attempt_whose_key_cannot_be_read_ends_all_the_same() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    let hidden = stage.deployment.hide_keys();

    let attempt = stage.outcome().await;

    assert_eq!(attempt.failure, Some(AttemptFailure::Timeout));
    assert_eq!(stage.signing().await.ceremony.turn, None);
    hidden.restore();
}

#[tokio::test]
async fn a_signature_whose_key_cannot_be_read_is_given_up_after_a_day() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.sign_without_timestamps().await;
    let hidden = stage.deployment.hide_keys();
    site.pass(SignedDuration::from_hours(1));
    stage.host.run_due().await;
    assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);

    site.pass(SignedDuration::from_hours(24));

    assert_eq!(stage.outcome().await.phase, Phase::Failed);
    hidden.restore();
    site.faults(Service::Tsa).clear();
}

#[tokio::test]
async fn a_signature_that_cannot_be_stored_is_given_up_after_a_day_and_leaves_nothing() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.sign_without_timestamps().await;
    leave_no_room_for_another_version(&stage).await;
    site.faults(Service::Tsa).clear();
    site.pass(SignedDuration::from_hours(1));
    stage.host.run_due().await;
    assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);

    site.pass(SignedDuration::from_hours(24));

    let failure = stage.outcome().await.failure;
    assert_eq!(failure, Some(AttemptFailure::TimestampUnavailable));
    assert_eq!(stage.signing().await.ceremony.turn, None);
    assert_eq!(stage.signing().await.versions.len(), 1);
    assert_eq!(stage.deployment.byte_files().len(), 1);
}

/// Fills the signing's row almost to the maximum row size.
async fn leave_no_room_for_another_version(stage: &Stage<'_>) {
    const LEFT: usize = 200;

    let mut row = stage.signing().await;
    let taken = serde_json::to_vec(&row).unwrap().len();
    row.detail = Some("x".repeat(MAX_VALUE_BYTES - taken - LEFT));
    stage.host.put(&row).await;
}

#[tokio::test]
async fn a_signature_is_finished_for_as_long_as_is_configured() {
    let mut site = Site::start().await;
    site.config.limits.finish_hours = NonZeroU16::new(2).unwrap();
    let stage = Stage::set(&site, site.posted()).await;
    stage.sign_without_timestamps().await;
    site.pass(SignedDuration::from_hours(1));
    stage.host.run_due().await;
    assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);

    site.pass(SignedDuration::from_hours(1));

    let failure = stage.outcome().await.failure;
    assert_eq!(failure, Some(AttemptFailure::TimestampUnavailable));
    assert_eq!(stage.signing().await.versions.len(), 1);
    site.faults(Service::Tsa).clear();
}

#[tokio::test]
async fn a_job_that_no_host_knows_waits_longer_each_time() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let store = &stage.host.app.records.store;
    let enqueued = store.transact(|tx| {
        Box::pin(async move {
            let job = NewJob {
                lane: TIMERS,
                kind: "of-another-version".to_owned(),
                due: tx.now(),
                unique: None,
                payload: serde_json::Value::Null,
            };
            jobs::enqueue(tx, job).await
        })
    });
    enqueued
        .await
        .unwrap_or_else(|error: StoreError| panic!("{error}"));

    for pause in [5, 10, 20] {
        assert_eq!(stage.host.run_due().await, 1);
        site.pass(SignedDuration::from_secs(pause - 1));
        assert_eq!(stage.host.run_due().await, 0);
        site.pass(SignedDuration::from_secs(1));
    }
}

#[tokio::test]
async fn a_provider_that_restarts_within_ten_seconds_loses_nobody() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    for phase in [Phase::Certificate, Phase::WaitingForUser] {
        stage.host.start(stage.signer, SIGN[0]).await.unwrap();
        // The session is open, and has not been polled yet.
        stage.reach_at_once(phase).await;
        if phase == Phase::Certificate {
            stage.host.run_due().await;
        }
        let back = site.clock.now() + SignedDuration::from_secs(10);
        site.faults(Service::SmartId)
            .until_cleared(Fault::Status { status: 503 });
        while site.clock.now() < back {
            stage.host.run_due().await;
            site.pass(TICK);
        }
        assert!(!stage.newest_attempt().await.phase.is_terminal());
        site.faults(Service::SmartId).clear();
        if phase == Phase::Certificate {
            stage.give_up().await;
        }
    }

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn a_step_that_fails_inside_is_tried_again_after_seconds() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let hidden = stage.deployment.hide_bytes();
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach_at_once(Phase::Signing).await;

    assert_eq!(stage.host.run_due().await, 1, "the document cannot be read");
    assert_eq!(stage.host.run_due().await, 0, "and not at once again");
    hidden.restore();
    site.pass(SignedDuration::from_secs(5));

    assert_eq!(stage.host.run_due().await, 1);
    assert_eq!(stage.outcome().await.phase, Phase::Done);
}
