//! Leaves a register alone that fails about one entity after another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use parafa_register_data::Register;

/// About how many entities a register fails in a row before it rests. One that
/// fails about some entities alone, however often, still answers about others.
const FAILURES: usize = 4;
/// How long it rests.
const REST: SignedDuration = SignedDuration::from_secs(15);

/// One circuit a register.
#[derive(Default)]
pub(crate) struct Breaker(Mutex<BTreeMap<Register, Circuit>>);

#[derive(Default)]
struct Circuit {
    /// About whom it failed since it last answered.
    failed: BTreeSet<String>,
    rests_until: Option<Timestamp>,
}

impl Breaker {
    /// Whether a register may be asked. When it has rested, one may ask, and the
    /// others after that one was answered, or after another rest.
    pub(crate) fn admits(&self, register: Register, now: Timestamp) -> bool {
        let mut circuits = self.circuits();
        let circuit = circuits.entry(register).or_default();
        match circuit.rests_until {
            Some(until) if now < until && until.duration_since(now) <= REST => false,
            Some(_) => {
                circuit.rests_until = now.checked_add(REST).ok();
                true
            }
            None => true,
        }
    }

    pub(crate) fn answered(&self, register: Register) {
        self.circuits().remove(&register);
    }

    pub(crate) fn failed(&self, register: Register, subject: &str, now: Timestamp) {
        let mut circuits = self.circuits();
        let circuit = circuits.entry(register).or_default();
        if circuit.failed.len() < FAILURES {
            circuit.failed.insert(subject.to_owned());
        }
        if circuit.failed.len() == FAILURES {
            circuit.rests_until = now.checked_add(REST).ok();
        }
    }

    fn circuits(&self) -> MutexGuard<'_, BTreeMap<Register, Circuit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAR: Register = Register::Jar;
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn tripped() -> Breaker {
        let breaker = Breaker::default();
        for subject in ["a", "b", "c", "d"] {
            assert!(breaker.admits(JAR, NOW));
            breaker.failed(JAR, subject, NOW);
        }
        breaker
    }

    #[test]
    fn a_register_that_fails_about_everybody_rests_alone() {
        let breaker = tripped();
        assert!(!breaker.admits(JAR, NOW));
        assert!(breaker.admits(Register::Taar, NOW));
    }

    #[test]
    fn failing_about_the_same_entities_is_no_reason() {
        let breaker = Breaker::default();
        for subject in ["a", "b", "c", "a", "b", "c", "a"] {
            breaker.failed(JAR, subject, NOW);
        }
        assert!(breaker.admits(JAR, NOW));
    }

    #[test]
    fn after_the_rest_one_may_ask_and_an_answer_ends_it() {
        let breaker = tripped();
        let rested = NOW + REST;
        assert!(breaker.admits(JAR, rested));
        assert!(!breaker.admits(JAR, rested));
        breaker.answered(JAR);
        assert!(breaker.admits(JAR, rested));
    }

    #[test]
    fn who_fails_after_the_rest_rests_again() {
        let breaker = tripped();
        let rested = NOW + REST;
        assert!(breaker.admits(JAR, rested));
        breaker.failed(JAR, "e", rested);
        assert!(!breaker.admits(JAR, rested + SignedDuration::from_secs(14)));
        assert!(breaker.admits(JAR, rested + REST));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_prolong_the_rest() {
        let breaker = tripped();
        assert!(breaker.admits(JAR, NOW - SignedDuration::from_hours(72)));
    }
}
