//! Limits of documents in memory for attempts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most documents in memory at the same time, however many attempts there are.
const AT_ONCE: usize = 16;
/// Most of them with the same format: a plugin with endless calls leaves some
/// to the others.
const OF_ONE_FORMAT: usize = 12;

/// Limiter of this host's documents in memory.
///
/// A holder of a permit may wait for a plugin's slot, and a holder of a slot
/// never waits for a permit. A holder waits for nothing else, least of all for
/// an external service.
pub struct DocumentTurns {
    all: Arc<Semaphore>,
    own: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit, held until dropped.
pub(super) struct DocumentTurn {
    /// `None` once the semaphore is closed, which never happens.
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
    /// Waits for a permit of the format, then for one of all.
    pub(super) async fn take(&self, format: &str) -> DocumentTurn {
        let own = self.of(format).acquire_owned().await.ok();
        DocumentTurn {
            _all: self.all.clone().acquire_owned().await.ok(),
            _own: own,
        }
    }

    /// Returns the semaphore of a format. Formats are those of installed
    /// plugins: there are few.
    fn of(&self, format: &str) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Semaphore::new(OF_ONE_FORMAT));
        own.entry(format.to_owned()).or_insert_with(new).clone()
    }
}

impl DocumentTurns {
    /// Returns the number of permits in use.
    pub fn taken(&self) -> usize {
        AT_ONCE - self.all.available_permits()
    }

    /// Takes all permits that one format may have.
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
