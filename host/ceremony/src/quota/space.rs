//! Free space of the disk.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parafa_platform::Records;
use tokio::time::Instant;

/// Time that an answer of the file system is cached.
const HOLDS: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Free space of the file systems with the documents and their records.
pub(super) struct FreeSpace {
    records: Records,
    seen: Mutex<Option<Seen>>,
    told_of_failure: OncePerMinute,
}

#[derive(Clone, Copy)]
struct Seen {
    at: Instant,
    /// `None` if the file system did not report it.
    free: Option<u64>,
}

/// Limiter of a log message to once a minute.
#[derive(Default)]
pub(super) struct OncePerMinute(Mutex<Option<Instant>>);

impl OncePerMinute {
    /// Returns whether the message is due, and counts it as logged.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = told.is_none_or(|told| now.duration_since(told) >= MINUTE);
        if is_due {
            *told = Some(now);
        }
        is_due
    }
}

impl FreeSpace {
    pub(super) fn new(records: Records) -> Self {
        Self {
            records,
            seen: Mutex::default(),
            told_of_failure: OncePerMinute::default(),
        }
    }

    /// Returns the free bytes, as of at most a second ago; `None` if unknown.
    pub(super) async fn now(&self, now: Instant) -> Option<u64> {
        if let Some(seen) = self
            .seen()
            .filter(|seen| now.duration_since(seen.at) < HOLDS)
        {
            return seen.free;
        }
        let free = match self.records.free_space().await {
            Ok(free) => free,
            Err(error) => {
                if self.told_of_failure.is_due(now) {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(error, "the free disk space cannot be determined");
                }
                None
            }
        };
        self.see(Seen { at: now, free });
        free
    }

    fn seen(&self) -> Option<Seen> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, seen: Seen) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }
}

impl FreeSpace {
    /// Fixes the answer.
    pub(super) fn seem(&self, bytes: u64) {
        self.see(Seen {
            at: Instant::now() + Duration::from_secs(24 * 60 * 60),
            free: Some(bytes),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use parafa_store::{
        ByteFiles, DataKeys, MasterKey, MemoryEngine, Store, StoreMode, SystemClock,
    };

    use super::*;

    async fn space_of(folder: &Path) -> FreeSpace {
        let master = Arc::new(MasterKey::from_bytes([7; 32]));
        let engine = Arc::new(MemoryEngine::new(Arc::new(SystemClock)));
        FreeSpace::new(Records {
            store: Store::open(engine, &master, StoreMode::Demo).await.unwrap(),
            files: ByteFiles::open_folder(&folder.join("bytes")).unwrap(),
            keys: DataKeys::create_folder(&folder.join("keys"), master.clone()).unwrap(),
            master,
        })
    }

    #[tokio::test]
    async fn the_file_system_is_asked_once_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let space = space_of(folder.path()).await;
        let now = Instant::now();
        assert!(space.now(now).await.is_some_and(|free| free > 0));

        space.see(Seen {
            at: now,
            free: Some(7),
        });
        let soon = now + Duration::from_millis(999);
        assert_eq!(space.now(soon).await, Some(7));
        assert_ne!(space.now(now + HOLDS).await, Some(7));
    }

    #[tokio::test]
    async fn a_folder_that_is_gone_keeps_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let space = space_of(folder.path()).await;
        folder.close().unwrap();

        assert_eq!(space.now(Instant::now()).await, None);
    }

    #[test]
    fn what_is_told_with_every_request_is_told_once_a_minute() {
        let told = OncePerMinute::default();
        let now = Instant::now();
        let due = [0, 1, 59, 60, 61, 119, 120]
            .map(|seconds| told.is_due(now + Duration::from_secs(seconds)));

        assert_eq!(due, [true, false, false, true, false, false, true]);
    }
}
