//! Exclusive connections.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::session::Session;

/// A pool of connections, each lent to one user at a time.
pub(super) struct Sessions {
    database: Database,
    idle: Mutex<Vec<Session>>,
    places: Semaphore,
}

/// A lent connection. Dropped without being given back, it is closed, and its transaction is
/// rolled back.
pub(super) struct Lent<'s> {
    session: Session,
    sessions: &'s Sessions,
    _place: SemaphorePermit<'s>,
}

impl Sessions {
    /// Creates a pool that lends at most this many connections.
    pub(super) fn new(database: &Database, most: usize) -> Self {
        Self {
            database: database.clone(),
            idle: Mutex::default(),
            places: Semaphore::new(most),
        }
    }

    /// Waits for a connection, until patience ends.
    pub(super) async fn borrow(&self) -> Result<Lent<'_>, DatabaseError> {
        let until = Instant::now() + PATIENCE;
        let place = tokio::time::timeout_at(until, self.places.acquire()).await;
        let place = place.map_err(|_| DatabaseError::Silent {
            seconds: PATIENCE.as_secs(),
        })?;
        let session = match self.take_idle() {
            Some(session) => session,
            None => self.database.new_session(until).await?,
        };
        Ok(Lent {
            session,
            sessions: self,
            _place: place.expect("nobody closes it"),
        })
    }

    fn take_idle(&self) -> Option<Session> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|session| !session.is_broken());
        idle.pop()
    }
}

impl Lent<'_> {
    /// Returns it to the pool, without a transaction.
    pub(super) fn give_back(self) {
        let mut idle = self.sessions.idle.lock();
        let idle = idle.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut());
        idle.push(self.session);
    }
}

impl Deref for Lent<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}
