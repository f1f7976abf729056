//! Circuit breaker: stops asking a register that fails on one entity after another.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use parafa_register_data::Register;

/// Settings of the circuit breaker of a failing register.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BreakerSettings {
    /// Number of different entities in a row on which it fails before the circuit opens. A register
    /// that fails only on some entities, however often, still answers on others.
    pub failures: NonZeroUsize,
    /// Time for which the circuit stays open.
    pub rest: SignedDuration,
}

/// Circuit breaker with one circuit for each register.
pub(crate) struct Breaker {
    settings: BreakerSettings,
    circuits: Mutex<BTreeMap<Register, Circuit>>,
}

#[derive(Default)]
struct Circuit {
    /// Subjects on which it failed since its last answer.
    failed: BTreeSet<String>,
    rests_until: Option<Timestamp>,
}

impl Default for BreakerSettings {
    /// Four entities, fifteen seconds.
    fn default() -> Self {
        Self {
            failures: NonZeroUsize::new(4).expect("four is not zero"),
            rest: SignedDuration::from_secs(15),
        }
    }
}

impl Breaker {
    pub(crate) fn new(settings: BreakerSettings) -> Self {
        Self {
            settings,
            circuits: Mutex::default(),
        }
    }

    /// Returns true if a register may be asked. After its rest, one request may pass. The others
    /// may once that one was answered, or after another rest.
    pub(crate) fn admits(&self, register: Register, now: Timestamp) -> bool {
        let rest = self.settings.rest;
        let mut circuits = self.circuits();
        let circuit = circuits.entry(register).or_default();
        match circuit.rests_until {
            Some(until) if now < until && until.duration_since(now) <= rest => false,
            Some(_) => {
                circuit.rests_until = now.checked_add(rest).ok();
                true
            }
            None => true,
        }
    }

    pub(crate) fn answered(&self, register: Register) {
        self.circuits().remove(&register);
    }

    pub(crate) fn failed(&self, register: Register, subject: &str, now: Timestamp) {
        let BreakerSettings { failures, rest } = self.settings;
        let mut circuits = self.circuits();
        let circuit = circuits.entry(register).or_default();
        if circuit.failed.len() < failures.get() {
            circuit.failed.insert(subject.to_owned());
        }
        if circuit.failed.len() == failures.get() {
            circuit.rests_until = now.checked_add(rest).ok();
        }
    }

    fn circuits(&self) -> MutexGuard<'_, BTreeMap<Register, Circuit>> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAR: Register = Register::Jar;
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const REST: SignedDuration = SignedDuration::from_secs(15);

    fn breaker() -> Breaker {
        Breaker::new(BreakerSettings::default())
    }

    fn tripped() -> Breaker {
        let breaker = breaker();
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
        let breaker = breaker();
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
