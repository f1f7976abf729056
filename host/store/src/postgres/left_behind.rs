//! Connections that were given up, and that the database has not ended yet.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::error::DatabaseError;

/// How many of them a host may have. A commit that waits for a standby goes on to wait, and keeps
/// its connection, also where nobody waits for its answer any more.
const MOST: usize = 32;
/// For how long one is counted whose end nobody tells.
const LONGEST: Duration = Duration::from_mins(10);

/// Counts them.
#[derive(Clone)]
pub(super) struct LeftBehind(Arc<Semaphore>);

/// Says that a connection is in use, until it is dropped.
pub(super) struct InUse {
    _until_dropped: oneshot::Sender<()>,
}

impl Default for LeftBehind {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }
}

impl LeftBehind {
    /// Refuses another connection where too many are left behind: it would become one of them.
    pub(super) fn check(&self) -> Result<(), DatabaseError> {
        match self.0.available_permits() {
            0 => Err(DatabaseError::LeftBehind { connections: MOST }),
            _ => Ok(()),
        }
    }

    /// Has a connection run in a task of its own until it ends.
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
            // Past that the socket is closed, whatever the database makes of it.
            let _ = tokio::time::timeout(LONGEST, connection).await;
        });
        InUse {
            _until_dropped: in_use,
        }
    }

    /// None where more are left behind than are counted, which connected at the same time.
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

    /// Has all tasks run until so many more may be left behind.
    async fn settled(left_behind: &LeftBehind, left: usize) {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(left_behind.0.available_permits(), left);
    }
}
