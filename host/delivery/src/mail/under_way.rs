use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

/// Letters that this host is handing in, by their jobs. Their lease is renewed, which keeps other
/// hosts from them. If the clock leaps, the lease may end while the letter is still on its way.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<HashSet<Uuid>>);

/// The handing in of one letter, until it is dropped.
#[derive(Debug)]
pub(super) struct Handing<'u> {
    under_way: &'u UnderWay,
    job: Uuid,
}

impl UnderWay {
    /// `None` while the same letter is being handed in.
    pub(super) fn begin(&self, job: Uuid) -> Option<Handing<'_>> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.insert(job).then(|| Handing {
            under_way: self,
            job,
        })
    }
}

impl Drop for Handing<'_> {
    fn drop(&mut self) {
        let mut jobs = self.under_way.0.lock();
        let jobs = jobs.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut());
        jobs.remove(&self.job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_handed_in_once_at_a_time() {
        let under_way = UnderWay::default();
        let job = Uuid::from_u128(1);

        let first = under_way.begin(job);
        assert!(first.is_some());
        assert!(under_way.begin(job).is_none());
        assert!(under_way.begin(Uuid::from_u128(2)).is_some());

        drop(first);
        assert!(under_way.begin(job).is_some());
    }
}
