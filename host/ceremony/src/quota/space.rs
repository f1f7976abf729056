//! How much room the disk has.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parafa_store::ByteFiles;
use tokio::time::Instant;

/// How long an answer of the file system holds.
const HOLDS: Duration = Duration::from_secs(1);

/// The free space of the file system that documents are on.
pub(super) struct FreeSpace {
    files: ByteFiles,
    seen: Mutex<Option<Seen>>,
}

#[derive(Clone, Copy)]
struct Seen {
    at: Instant,
    /// None if the file system did not tell.
    free: Option<u64>,
}

impl FreeSpace {
    pub(super) fn new(files: ByteFiles) -> Self {
        Self {
            files,
            seen: Mutex::default(),
        }
    }

    /// In bytes, as of a second ago at most; none if nobody can tell.
    pub(super) async fn now(&self, now: Instant) -> Option<u64> {
        if let Some(seen) = self
            .seen()
            .filter(|seen| now.duration_since(seen.at) < HOLDS)
        {
            return seen.free;
        }
        let free = match self.files.free_space().await {
            Ok(free) => free,
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "nobody can tell how full the disk is");
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
    /// Keeps to this answer.
    pub(super) fn seem(&self, bytes: u64) {
        self.see(Seen {
            at: Instant::now() + Duration::from_secs(24 * 60 * 60),
            free: Some(bytes),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_file_system_is_asked_once_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let space = FreeSpace::new(ByteFiles::open_folder(folder.path()).unwrap());
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
        let space = FreeSpace::new(ByteFiles::open_folder(folder.path()).unwrap());
        folder.close().unwrap();

        assert_eq!(space.now(Instant::now()).await, None);
    }
}
