//! Limits of concurrent archives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit};
use uuid::Uuid;

/// Archives made at the same time: each holds several copies of the document,
/// and the fetched data.
const AT_ONCE: usize = 8;

/// Limiter of this host's archives: a few at the same time, and one of each
/// signing.
pub struct ArchiveTurns {
    all: Semaphore,
    own: Mutex<HashMap<Uuid, Weak<tokio::sync::Mutex<()>>>>,
}

/// A permit, held until dropped.
pub(super) struct ArchiveTurn<'a> {
    _own: OwnedMutexGuard<()>,
    /// `None` once the semaphore is closed, which never happens.
    _place: Option<SemaphorePermit<'a>>,
}

impl Default for ArchiveTurns {
    fn default() -> Self {
        Self {
            all: Semaphore::new(AT_ONCE),
            own: Mutex::default(),
        }
    }
}

impl ArchiveTurns {
    /// Waits for the signing's turn, then for a permit. A wait for another
    /// archive of the same signing takes no permit.
    pub(super) async fn take(&self, signing: Uuid) -> ArchiveTurn<'_> {
        let own = self.of(signing).lock_owned().await;
        ArchiveTurn {
            _own: own,
            _place: self.all.acquire().await.ok(),
        }
    }

    fn of(&self, signing: Uuid) -> Arc<tokio::sync::Mutex<()>> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = own.get(&signing).and_then(Weak::upgrade) {
            return known;
        }
        own.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::default();
        own.insert(signing, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn one_signing_is_archived_once_at_a_time_and_a_few_at_once() {
        let turns = ArchiveTurns::default();
        let take = |signing| turns.take(Uuid::from_u128(signing)).now_or_never();

        let first = take(1);
        assert!(first.is_some());
        assert!(take(1).is_none());
        let others: Vec<_> = (2..100).map_while(take).collect();
        assert_eq!(others.len(), AT_ONCE - 1);

        drop(first);
        assert!(take(1).is_some());
    }

    #[test]
    fn turns_that_have_ended_are_forgotten() {
        let turns = ArchiveTurns::default();
        for signing in 0..100 {
            let taken = turns.take(Uuid::from_u128(signing)).now_or_never();
            assert!(taken.is_some());
        }

        assert_eq!(turns.own.lock().unwrap().len(), 1);
    }
}
