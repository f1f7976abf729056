//! A clock that jumps ahead and is set back.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_ceremony::attempt::ATTEMPTS;
use parafa_demo::Service;
use parafa_domain::{CeremonyStatus, Phase};
use parafa_platform::jobs::TIMERS;
use parafa_platform::sweep::{self, SWEEP};
use parafa_store::Clock;
use tokio_util::sync::CancellationToken;

use crate::lanes::LANES;
use crate::tests::support::{DAY, SIGN, Site, Stage, TICK};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Maximum wait for a change.
const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn an_attempt_goes_on_when_the_clock_is_set_back() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    site.pass(HOUR);
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach_at_once(Phase::WaitingForUser).await;
    site.pass(-HOUR / 2);
    assert_eq!(stage.host.run_due().await, 0, "it waits for the clock");

    stage.host.runner.follow_clock_back().await.unwrap();

    assert_ne!(stage.host.run_due().await, 0, "it is due at once");
    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn a_host_that_runs_notices_that_its_clock_is_set_back() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    site.pass(HOUR);
    stage.sign_without_timestamps().await;
    let runner = Arc::clone(&stage.host.runner);
    let stop = CancellationToken::new();
    let runner = tokio::spawn(runner.run(stop.clone()));
    // After another try, it has seen the current time.
    let tries = stage.newest_attempt().await.tries;
    wait_until(&stage, async || stage.newest_attempt().await.tries > tries).await;
    site.faults(Service::Tsa).clear();

    site.pass(-HOUR / 2);

    wait_until(&stage, async || {
        stage.newest_attempt().await.phase == Phase::Done
    })
    .await;
    stop.cancel();
    runner.await.unwrap();
}

#[tokio::test]
async fn a_step_that_is_under_way_when_the_clock_is_set_back_comes_again_soon() {
    let site = Site::without_answers_about_time().await;
    let stage = Stage::set(&site, site.posted()).await;
    let (finishing, call) = stage.ask_for_a_time_stamp().await;

    site.pass(-HOUR / 2);

    drop(call);
    assert_eq!(finishing.await.unwrap(), 1);
    stage.host.runner.follow_clock_back().await.unwrap();
    site.pass(SignedDuration::from_mins(1));
    let due = stage.host.claim(ATTEMPTS, 100).await;
    assert_eq!(due.len(), 1);
}

/// Lets seconds pass until a condition holds; far fewer than the clock is set
/// back by.
async fn wait_until(stage: &Stage<'_>, it_is_so: impl AsyncFn() -> bool) {
    let link = stage.host.link(stage.signer);
    for _ in 0..120 {
        if it_is_so().await {
            return;
        }
        let state = stage.host.app.ceremonies.await_state(&link, SHORT, None);
        state.await.unwrap();
        stage.site.pass(TICK);
    }
    panic!("it takes long: {:?}", stage.newest_attempt().await.phase);
}

/// Passes a deadline; asserts that the signing is pending until then.
async fn expires_at(stage: &Stage<'_>, deadline: Timestamp) {
    let expected = [
        (deadline - TICK, CeremonyStatus::Pending),
        (deadline, CeremonyStatus::Expired),
    ];
    for (time, status) in expected {
        stage.site.clock.set(time);
        stage.host.run_all().await;
        assert_eq!(stage.signing().await.ceremony.status, status, "at {time}");
    }
}

#[tokio::test]
async fn a_deadline_that_a_clock_which_was_ahead_has_put_off_comes_at_its_time() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let deadline = stage.signing().await.ceremony.expires_at;
    site.clock.set(deadline - HOUR / 2);
    stage.sign_without_timestamps().await;
    site.pass(HOUR * 5);
    stage.host.run_all().await;
    site.pass(-HOUR * 5);
    stage.host.runner.follow_clock_back().await.unwrap();
    site.faults(Service::Tsa).clear();
    assert_eq!(stage.outcome().await.phase, Phase::Done);

    expires_at(&stage, deadline).await;
}

#[tokio::test]
async fn a_deadline_comes_at_its_time_whatever_the_clock_has_shown() {
    let site = Site::start().await;
    site.pass(HOUR);
    let stage = Stage::set(&site, site.posted()).await;
    site.pass(HOUR * 2);
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.give_up().await;
    site.pass(-HOUR * 2);

    stage.host.runner.follow_clock_back().await.unwrap();

    let deadline = stage.signing().await.ceremony.expires_at;
    expires_at(&stage, deadline).await;
}

#[tokio::test]
async fn a_sweep_that_was_put_off_while_the_clock_was_ahead_comes_within_a_day() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let today = site.clock.now();
    site.pass(DAY * 30);
    sweep::schedule(&stage.host.app.records.store)
        .await
        .unwrap();
    stage.host.run_all().await;
    site.clock.set(today);

    stage.host.runner.follow_clock_back().await.unwrap();

    site.pass(DAY);
    let due = stage.host.claim(TIMERS, 100).await;
    assert!(due.iter().any(|job| job.kind == SWEEP));
}

#[tokio::test]
async fn a_sweep_that_waits_for_its_day_is_not_hastened_by_a_start() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    sweep::schedule(&app.records.store).await.unwrap();
    stage.host.run_all().await;
    site.pass(DAY / 2);

    stage.host.runner.follow_clock_back().await.unwrap();

    site.pass(DAY / 2 - TICK);
    let due = stage.host.claim(TIMERS, 100).await;
    assert!(due.iter().all(|job| job.kind != SWEEP));
    site.pass(TICK);
    let due = stage.host.claim(TIMERS, 100).await;
    assert!(due.iter().any(|job| job.kind == SWEEP));
}

#[tokio::test]
async fn a_start_takes_up_what_was_claimed_before_the_clock_was_set_back() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    site.pass(HOUR);
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach_at_once(Phase::WaitingForUser).await;
    let store = &stage.host.app.records.store;
    let [budget, ..] = LANES;
    let dead = stage.host.claim(budget.lane, 1).await;
    assert_eq!(dead.len(), 1);
    site.pass(-HOUR / 2);

    let released = store.release_claims(budget.lane, budget.longest_lease());
    assert_eq!(released.await.unwrap(), 1);
    stage.host.runner.follow_clock_back().await.unwrap();

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}
