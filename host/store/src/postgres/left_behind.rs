//! Abandoned connections that the database has not ended yet.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::error::DatabaseError;

/// Most of them on a host. A commit that waits for a standby continues to wait, and keeps its
/// connection, even if its caller is gone.
const MOST: usize = 32;
/// Time that one is counted if its end is not reported.
const LONGEST: Duration = Duration::from_mins(10);

/// Counter of abandoned connections.
#[derive(Clone)]
pub(super) struct LeftBehind(Arc<Semaphore>);

/// Guard of a connection in use; dropping it abandons the connection.
pub(super) struct InUse {
    _until_dropped: oneshot::Sender<()>,
}

impl Default for LeftBehind {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }
}

impl LeftBehind {
    /// Refuses another connection when too many are abandoned: it could become one of them.
    pub(super) fn check(&self) -> Result<(), DatabaseError> {
        match self.0.available_permits() {
            0 => Err(DatabaseError::LeftBehind { connections: MOST }),
            _ => Ok(()),
        }
    }

    /// Runs a connection in its own task until it ends.
    pub(super) fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static) -> InUse {
        let (in_use, dropped) = oneshot::channel();
        let left_behind = self.clone();
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                biased;
                () = &mut connection => return,
                _ = dropped => {}
            }
            let _counted = left_behind.count();
            // After that the socket is closed, in any state of the database.
            let _ = tokio::time::timeout(LONGEST, connection).await;
        });
        InUse {
            _until_dropped: in_use,
        }
    }

    /// Counts one; `None` where more are abandoned than are counted, because they connected at
    /// the same time.
    fn count(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_host_with_many_connections_left_behind_makes_none_until_they_end() {
        let left_behind = LeftBehind::default();
        let (ends, mut connections) = (tokio::sync::broadcast::Sender::<()>::new(1), Vec::new());
        for _ in 0..MOST {
            let mut end = ends.subscribe();
            connections.push(left_behind.spawn(async move { drop(end.recv().await) }));
        }
        settled(&left_behind, MOST).await;
        assert!(left_behind.check().is_ok(), "those in use do not count");

        drop(connections);
        settled(&left_behind, 0).await;
        let refused = left_behind.check();
        assert!(matches!(refused, Err(DatabaseError::LeftBehind { .. })));

        drop(ends);
        settled(&left_behind, MOST).await;
        assert!(left_behind.check().is_ok());
    }

    /// Lets all tasks run until this many more may be abandoned.
    async fn settled(left_behind: &LeftBehind, left: usize) {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(left_behind.0.available_permits(), left);
    }
}
