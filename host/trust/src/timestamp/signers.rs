//! Cache of token signers with a path to an anchor. An authority stamps with one certificate for
//! years, and reading it and finding its path takes longer than all other checks of a token.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::certificate::Certificate;
use crate::path::is_valid_at;

/// Maximum number of entries: only a handful of authorities are asked, and each changes its
/// certificate now and then.
const MOST: usize = 16;

/// Paths from signers to the anchors of one client, for as long as each of their
/// certificates is valid.
#[derive(Default)]
pub(super) struct KnownSigners(Mutex<VecDeque<Vec<Certificate>>>);

impl KnownSigners {
    /// The path of the signer for which `is_it` returns true, if it is cached and valid at `at`.
    pub(super) fn path(
        &self,
        is_it: impl Fn(&Certificate) -> bool,
        at: Timestamp,
    ) -> Option<Vec<Certificate>> {
        let known = self.known();
        let mut known = known.iter();
        let path = known.find(|path| path.first().is_some_and(&is_it))?;
        is_valid_at(path, at).then(|| path.clone())
    }

    /// Stores a path, from the signer to the anchor. It replaces the signer's earlier path, or the
    /// oldest one if the cache is full.
    pub(super) fn remember(&self, path: &[Certificate]) {
        let mut known = self.known();
        known.retain(|other| other.first() != path.first());
        known.truncate(MOST - 1);
        known.push_front(path.to_vec());
    }

    /// The last cached signer of each issuer: it may have replaced the others.
    pub(super) fn newest(&self) -> Vec<Certificate> {
        let mut newest: Vec<Certificate> = Vec::new();
        for signer in self.known().iter().filter_map(|path| path.first()) {
            let is_older = newest
                .iter()
                .any(|other| other.issuer_der() == signer.issuer_der());
            if !is_older {
                newest.push(signer.clone());
            }
        }
        newest
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Vec<Certificate>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
