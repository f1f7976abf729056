//! How many documents are in memory at once for attempts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Documents in memory at one time, however many attempts there are.
const AT_ONCE: usize = 16;
/// How many of them may be of one format: a plugin whose calls do not end
/// leaves some to the others.
const OF_ONE_FORMAT: usize = 12;

/// Lets a few documents be in memory at once on this host.
///
/// Whoever has a turn may wait for a plugin's slot, and nobody who has a slot
/// waits for a turn. Nothing else is waited for in a turn, least of all a
/// service of somebody else's.
pub struct DocumentTurns {
    all: Arc<Semaphore>,
    own: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A turn that lasts until this is dropped.
pub(super) struct DocumentTurn {
    /// None once the semaphore is closed, which nobody does.
    _all: Option<OwnedSemaphorePermit>,
    _own: Option<OwnedSemaphorePermit>,
}

impl Default for DocumentTurns {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(AT_ONCE)),
            own: Mutex::default(),
        }
    }
}

impl DocumentTurns {
    /// Waits for a place among the documents of a format, then for one among
    /// all.
    pub(super) async fn take(&self, format: &str) -> DocumentTurn {
        let own = self.of(format).acquire_owned().await.ok();
        DocumentTurn {
            _all: self.all.clone().acquire_owned().await.ok(),
            _own: own,
        }
    }

    /// Formats are those of plugins that were installed: there are few.
    fn of(&self, format: &str) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Semaphore::new(OF_ONE_FORMAT));
        own.entry(format.to_owned()).or_insert_with(new).clone()
    }
}

impl DocumentTurns {
    /// How many are taken.
    pub fn taken(&self) -> usize {
        AT_ONCE - self.all.available_permits()
    }

    /// Takes all that one format may have.
    pub async fn take_all_of(&self, format: &str) -> Vec<impl Sized + use<>> {
        let mut turns = Vec::new();
        for _ in 0..OF_ONE_FORMAT {
            turns.push(self.take(format).await);
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn one_format_leaves_turns_to_the_others_and_gets_its_own_back() {
        let turns = DocumentTurns::default();
        let mut context = Context::from_waker(Waker::noop());
        let taken = turns.take_all_of("pdf").await;

        let mut next = pin!(turns.take("pdf"));
        assert!(next.as_mut().poll(&mut context).is_pending());
        let other = turns.take("toy").await;
        assert_eq!(turns.taken(), OF_ONE_FORMAT + 1);

        drop(taken);
        next.await;
        drop(other);
    }
}
