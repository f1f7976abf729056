//! Versions of ceremonies' states, for readers who wait for changes.

use std::collections::HashMap;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

pub use parafa_platform::changes::{Changes, Listener};
use uuid::Uuid;

/// Fingerprint that distinguishes the states of a ceremony.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fingerprint(pub(crate) u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

/// Last state sent per link to readers without an ETag, so that a repeated poll
/// waits for a new one. If it is lost, that reader waits for the next change,
/// or gets the known state once more where hosts share the store.
#[derive(Debug, Default)]
pub(crate) struct LastStates(Mutex<HashMap<Uuid, Fingerprint>>);

impl LastStates {
    /// Most links remembered.
    const CAPACITY: usize = 16 * 1024;

    /// Returns the last state sent on this signer's link.
    pub(crate) fn last(&self, signer: Uuid) -> Option<Fingerprint> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(&signer).copied()
    }

    /// Remembers the state sent now.
    pub(crate) fn remember(&self, signer: Uuid, fingerprint: Fingerprint) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= Self::CAPACITY && !told.contains_key(&signer) {
            told.clear();
        }
        told.insert(signer, fingerprint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_reads_back_from_its_text() {
        let fingerprint = Fingerprint(0x0123);

        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }

    #[test]
    fn what_was_told_is_remembered_by_link() {
        let told = LastStates::default();
        told.remember(Uuid::from_u128(1), Fingerprint(7));
        told.remember(Uuid::from_u128(1), Fingerprint(8));

        assert_eq!(told.last(Uuid::from_u128(1)), Some(Fingerprint(8)));
        assert_eq!(told.last(Uuid::from_u128(2)), None);
    }
}
