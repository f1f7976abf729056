//! Paths that were found before. To find one takes a verification for each of its
//! steps, of curve P-384 more than a millisecond, and one signature asks for the same
//! path at each of its steps.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::is_valid_at;
use crate::certificate::Certificate;

/// How many are remembered, of some ten kilobytes each: those of the people who sign
/// at one time, and of the authorities that are asked meanwhile.
const MOST: usize = 256;

/// The newest first. What is kept follows from what was given alone, whoever asks.
static KNOWN: Mutex<VecDeque<(Given, Vec<Certificate>)>> = Mutex::new(VecDeque::new());

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
    let known = known();
    let (_, path) = known.iter().find(|(other, _)| other == given)?;
    is_valid_at(path, at).then(|| path.clone())
}

/// Remembers a path in place of the one that was found with the same, or of the
/// oldest where there are too many.
pub(super) fn remember(given: Given, path: &[Certificate]) {
    let mut known = known();
    known.retain(|(other, _)| *other != given);
    known.truncate(MOST - 1);
    known.push_front((given, path.to_vec()));
}

fn known() -> MutexGuard<'static, VecDeque<(Given, Vec<Certificate>)>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
