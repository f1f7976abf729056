//! Paths that were found before. To find one takes a verification for each of its
//! steps, of curve P-384 more than a millisecond, and one signature asks for the same
//! path at each of its steps.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::is_valid_at;
use crate::certificate::Certificate;
use crate::recent::Recent;

/// Of some ten kilobytes each. What is kept follows from what was given alone, whoever
/// asks.
static KNOWN: Mutex<Recent<(Given, Vec<Certificate>)>> = Mutex::new(Recent::new());

/// All that a path was looked for with but the time, by fingerprints.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Given {
    leaf: [u8; 32],
    intermediates: Vec<[u8; 32]>,
    anchors: Vec<[u8; 32]>,
}

impl Given {
    pub(super) fn new(
        leaf: &Certificate,
        intermediates: &[&Certificate],
        anchors: &[&Certificate],
    ) -> Self {
        let fingerprints = |certificates: &[&Certificate]| {
            let certificates = certificates.iter();
            certificates.map(|one| *one.sha256()).collect()
        };
        Self {
            leaf: *leaf.sha256(),
            intermediates: fingerprints(intermediates),
            anchors: fingerprints(anchors),
        }
    }
}

/// The path that was found with the same, if it holds at `at`.
pub(super) fn path(given: &Given, at: Timestamp) -> Option<Vec<Certificate>> {
    let mut known = known();
    let (_, path) = known.find(|(other, _)| other == given)?;
    is_valid_at(path, at).then(|| path.clone())
}

/// Remembers a path in place of the one that was found with the same.
pub(super) fn remember(given: Given, path: &[Certificate]) {
    let mut known = known();
    known.remove(|(other, _)| *other == given);
    known.insert((given, path.to_vec()));
}

/// Forgets those that were not asked for since this was called last.
pub(crate) fn forget_unused() {
    known().end_period();
}

fn known() -> MutexGuard<'static, Recent<(Given, Vec<Certificate>)>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_nobody_asks_for_any_more_is_forgotten() {
        let given = || Given {
            leaf: [1; 32],
            intermediates: Vec::new(),
            anchors: vec![[2; 32]],
        };
        remember(given(), &[]);

        for _ in 0..3 {
            assert_eq!(path(&given(), Timestamp::UNIX_EPOCH), Some(Vec::new()));
            forget_unused();
        }

        forget_unused();
        assert_eq!(path(&given(), Timestamp::UNIX_EPOCH), None);
    }
}
