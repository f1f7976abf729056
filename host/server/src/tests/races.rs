//! Random interleavings of two hosts' requests and jobs, with conflicts,
//! delays, crashes, hosts that stand still for a while, clocks that differ, a
//! service that is away, and time that passes while others are at work.
//!
//! `PARAFA_RACES` sets how many are tried.

mod acts;
mod contest;

use std::env;

use jiff::SignedDuration;
use parafa_demo::Service;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use tokio::runtime;

use self::acts::{Race, race};
use self::contest::Contest;
use super::careless::Neglect;
use super::deployment::{Deployment, Site};

/// Interleavings that are tried when nobody asks for more.
const RACES: u32 = 24;
/// Interleavings in which carelessness must show.
const CARELESS_RACES: u32 = 200;
/// Longer than a lease.
const TICK: SignedDuration = SignedDuration::from_secs(46);

#[test]
fn two_hosts_race_and_crash_and_keep_every_promise() {
    let cases = env::var("PARAFA_RACES").map_or(RACES, |cases| cases.parse().unwrap());
    let runner = TestRunner::new(ProptestConfig::with_cases(cases));

    let outcome = tried(runner, None);

    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn hosts_that_write_under_leases_that_they_have_lost_are_found_out() {
    assert!(is_found_out(Neglect::Leases));
}

#[test]
fn hosts_that_write_over_what_others_have_changed_are_found_out() {
    assert!(is_found_out(Neglect::Versions));
}

/// Whether the same races break a promise with hosts that neglect this.
fn is_found_out(neglect: Neglect) -> bool {
    let config = ProptestConfig {
        cases: CARELESS_RACES,
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let runner = TestRunner::new_with_rng(config, rng);
    let outcome = tried(runner, Some(neglect));
    outcome.is_err_and(|failure| matches!(*failure, TestError::Fail(..)))
}

fn tried(mut runner: TestRunner, neglect: Option<Neglect>) -> Result<(), Box<TestError<Race>>> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap();
    let site = runtime.block_on(Site::start());
    let outcome = runner.run(&race(), |race| {
        runtime.block_on(run(&site, race, neglect));
        Ok(())
    });
    runtime.block_on(site.shutdown());
    outcome.map_err(Box::new)
}

async fn run(site: &Site, race: Race, neglect: Option<Neglect>) {
    site.faults(Service::Tsa).clear();
    site.rings().await;
    let deployment = Deployment::new(site);
    let mut contest = Contest::begin(&deployment, &race, neglect).await;
    contest.create_first().await;
    for round in race.rounds {
        contest.play(round).await;
    }
    contest.end(race.finishes).await;
    let rung = site.rings().await;
    assert!(
        rung.signatures <= contest.attempts() && rung.certificates <= contest.attempts(),
        "a phone is asked once an attempt for each: {rung:?}"
    );
}
