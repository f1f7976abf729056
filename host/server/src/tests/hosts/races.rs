//! Random interleavings of two hosts' requests and jobs. They include
//! conflicts, delays, crashes, suspended hosts, differing clocks, an
//! unavailable service, and time that passes while others are at work.
//!
//! `PARAFA_RACES` sets their number.

mod actions;
mod caller_requests;
mod racing_hosts;
mod scenario;
mod webhook_receivers;

use std::env;
use std::panic::resume_unwind;

use jiff::SignedDuration;
use parafa_demo::Service;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use tokio::runtime::{self, Runtime};

use self::racing_hosts::Contest;
use self::scenario::{Race, callers_race, signers_race};
use crate::tests::support::{Deployment, Invariant, Outcome, Site, SkippedCheck, played};

/// Default number of interleavings.
const RACES: u32 = 24;
/// Number of interleavings in which a skipped check must be detected.
const CARELESS_RACES: u32 = 200;
/// Longer than a lease.
const TICK: SignedDuration = SignedDuration::from_secs(46);

#[test]
fn two_hosts_race_and_crash_and_keep_every_invariant() {
    keep_every_invariant(&signers_race());
}

#[test]
fn two_hosts_race_while_the_caller_changes_everything_and_keep_every_invariant() {
    keep_every_invariant(&callers_race());
}

fn keep_every_invariant(races: &impl Strategy<Value = Race>) {
    let cases = env::var("PARAFA_RACES").map_or(RACES, |cases| cases.parse().unwrap());
    let runner = TestRunner::new(ProptestConfig::with_cases(cases));

    let outcome = tried(runner, races);

    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn hosts_that_write_under_leases_that_they_have_lost_are_found_out() {
    find_out(SkippedCheck::Leases);
}

#[test]
fn hosts_that_write_over_what_others_have_changed_are_found_out() {
    find_out(SkippedCheck::Versions);
}

/// Races hosts that skip this check until they break an invariant; sound hosts
/// keep it in the same race.
fn find_out(skipped_check: SkippedCheck) {
    let runtime = runtime();
    let site = runtime.block_on(Site::start());
    let played = |race: &Race, skipped_check| {
        played(|| runtime.block_on(run(&site, race.clone(), skipped_check)))
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    for _ in 0..CARELESS_RACES {
        let race = signers_race().new_tree(&mut runner).unwrap().current();
        if let Outcome::Broken(invariant) = played(&race, Some(skipped_check)) {
            assert!(skipped_check.may_break(invariant), "{invariant:?}");
            match played(&race, None) {
                Outcome::Kept => {}
                Outcome::Broken(invariant) => panic!("sound hosts break {invariant:?} too"),
                Outcome::Failed(panic) => resume_unwind(panic),
            }
            return;
        }
    }
    panic!("nobody finds out");
}

fn tried(
    mut runner: TestRunner,
    races: &impl Strategy<Value = Race>,
) -> Result<(), Box<TestError<Race>>> {
    let runtime = runtime();
    let site = runtime.block_on(Site::start());
    let outcome = runner.run(races, |race| {
        runtime.block_on(run(&site, race, None));
        Ok(())
    });
    outcome.map_err(Box::new)
}

fn runtime() -> Runtime {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap()
}

async fn run(site: &Site, race: Race, skipped_check: Option<SkippedCheck>) {
    site.faults(Service::Tsa).clear();
    site.rings().await;
    let deployment = Deployment::new(site);
    let mut contest = Contest::begin(&deployment, &race, skipped_check).await;
    contest.create_first().await;
    for round in race.rounds {
        contest.play(round).await;
    }
    contest.end(race.finishes).await;
    let rung = site.rings().await;
    let _invariant = Invariant::PhonesRingOnce.checked();
    assert!(
        rung.signatures <= contest.attempts() && rung.certificates <= contest.attempts(),
        "a phone is asked once an attempt for each: {rung:?}"
    );
}
