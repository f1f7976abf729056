//! Return of the app to the page that opened it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::attempt::ATTEMPTS;
use parafa_domain::{AttemptFailure, Phase};
use parafa_platform::jobs::LEASE;
use parafa_store::faulty::FaultPlan;

use crate::tests::support::{Posted, Site, Stage};

/// Time limit for the app's return.
const RETURN_WITHIN: SignedDuration = SignedDuration::from_mins(2);

#[tokio::test]
async fn a_return_is_heard_at_once_whatever_the_step_that_waits_for_it_is_doing() {
    let site = Site::start().await;
    let mut waits = 0;
    loop {
        let stage = Stage::set(&site, Posted::toy("honest")).await;
        stage.sign_on_this_device().await;

        let during = come_back_during_a_step(&stage, waits).await;

        stage.reach_at_once(Phase::Done).await;
        if during.step_was_over {
            break;
        }
        waits += 1;
    }
    assert!(waits > 5, "{waits}");
}

#[tokio::test]
async fn a_return_that_comes_while_a_step_finds_it_too_late_is_not_thrown_away() {
    let site = Site::start().await;
    let (mut waits, mut heard) = (0, 0);
    loop {
        let stage = Stage::set(&site, Posted::toy("honest")).await;
        stage.sign_on_this_device().await;
        site.pass(RETURN_WITHIN);

        let during = come_back_during_a_step(&stage, waits).await;

        if during.was_running {
            stage.reach_at_once(Phase::Done).await;
            heard += 1;
        } else {
            let failure = stage.newest_attempt().await.failure;
            assert_eq!(failure, Some(AttemptFailure::Timeout));
        }
        if during.step_was_over {
            break;
        }
        waits += 1;
    }
    assert!(heard > 2, "{heard} of {waits}");
}

#[tokio::test]
async fn a_signature_whose_app_has_come_back_is_not_given_up_any_more() {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("honest")).await;
    stage.sign_on_this_device().await;
    stage.come_back().await;

    let ceremonies = &stage.host.app.ceremonies;
    let link = stage.host.link(stage.signer);
    let ceremony = ceremonies.open_link(&link).await.unwrap();
    let given_up = ceremonies.give_up_attempt(&ceremony).await;

    let is_refused = matches!(given_up, Err(CeremonyError::Busy));
    assert!(is_refused, "{given_up:?}");
    stage.reach_at_once(Phase::Done).await;
}

/// State after the app's return.
struct During {
    /// True if the attempt had not ended.
    was_running: bool,
    /// True if the step had ended.
    step_was_over: bool,
}

/// Lets the app return after the due step has been suspended `waits` times.
async fn come_back_during_a_step(stage: &Stage<'_>, waits: usize) -> During {
    let slow = FaultPlan {
        max_yields: 1,
        ..FaultPlan::default()
    };
    let host = stage.deployment.host(slow).await.unwrap();
    let claimed = host.app.records.store.claim_due(ATTEMPTS, 1, LEASE).await;
    let mut job = claimed.unwrap().pop().expect("it waits for the return");
    let mut step = pin!(host.runner.run_one(&mut job));
    let step_was_over = is_over_after(step.as_mut(), waits).await;
    stage.come_back().await;
    let was_running = !stage.newest_attempt().await.phase.is_terminal();
    if !step_was_over {
        step.await;
    }
    During {
        was_running,
        step_was_over,
    }
}

/// Polls `work` until it has been suspended `waits` times; returns whether it
/// has completed.
pub(super) async fn is_over_after(mut work: Pin<&mut impl Future>, waits: usize) -> bool {
    let mut left = waits;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        work.as_mut().poll(context).map(|_| true)
    })
    .await
}
