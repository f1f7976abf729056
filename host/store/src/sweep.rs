//! Sweeps for blobs left by a crash.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::blobs::{BlobError, Blobs, Listed};
use crate::clock::shifted;

/// Least age of an orphaned file that a sweep quarantines.
pub const SWEEP_AGE: SignedDuration = SignedDuration::from_hours(24);
/// Least time without writes by the operating system's clock: the store's clock may jump, and a
/// file whose row is being committed is not orphaned.
pub const SWEEP_REST: Duration = Duration::from_secs(60 * 60);
/// Duration of the quarantine before removal.
pub const QUARANTINE: SignedDuration = SignedDuration::from_hours(24);

/// A sweep for orphaned files through a folder whose files each belong to one row.
///
/// A file's age is that of its UUIDv7, and files older than the store are left alone. A file
/// that no row names goes to a quarantine first, and is restored should a row name it after all:
/// the rows may be what is lost.
#[derive(Clone, Debug)]
pub struct Sweep {
    blobs: Blobs,
    /// Time of the store's creation.
    since: Option<Timestamp>,
    now: Timestamp,
}

/// Failure of a sweep.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A file operation failed.
    #[error("could not {action} {path}")]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The storage is unavailable or failed.
    #[error("the content to sweep is not available: {reason}")]
    Unavailable {
        /// The cause.
        reason: Arc<str>,
    },
}

impl Sweep {
    pub(crate) fn of(blobs: &Blobs, since: Option<Timestamp>, now: Timestamp) -> Self {
        Self {
            blobs: blobs.clone(),
            since,
            now,
        }
    }

    /// Restores quarantined files that are named; returns their number.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn bring_back(&self, is_named: impl Fn(Uuid) -> bool) -> Result<usize, SweepError> {
        let waiting = self.waiting().await?.into_iter().map(|(id, _)| id);
        let named: Vec<Uuid> = waiting.filter(|id| is_named(*id)).collect();
        Ok(self.blobs.quarantine().bring_back(&named).await?)
    }

    /// Removes old unfinished files; returns the old files that are not named.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn ownerless(
        &self,
        is_named: impl Fn(Uuid) -> bool,
    ) -> Result<Vec<Uuid>, SweepError> {
        let mut ownerless = Vec::new();
        for old in self.blobs.listed().await? {
            if !self.is_old(&old) {
                continue;
            }
            if old.is_unfinished {
                self.blobs.store().remove_unfinished(old.id).await?;
            } else if !is_named(old.id) {
                ownerless.push(old.id);
            }
        }
        Ok(ownerless)
    }

    /// Puts files into quarantine; returns how many existed.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn quarantine(&self, ids: &[Uuid]) -> Result<usize, SweepError> {
        Ok(self.blobs.quarantine().put_away(ids, self.now).await?)
    }

    /// Removes files quarantined for [`QUARANTINE`] permanently; returns their number.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn remove_waiting(&self) -> Result<usize, SweepError> {
        let before = shifted(self.now, -QUARANTINE);
        let mut removed = 0;
        for (id, since) in self.waiting().await? {
            if since.is_some_and(|since| since <= before) && self.is_of_store(id) {
                removed += usize::from(self.blobs.remove(id).await?);
            }
        }
        self.blobs.quarantine().close().await?;
        Ok(removed)
    }

    /// Counts the quarantined files.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn count_waiting(&self) -> Result<usize, SweepError> {
        Ok(self.waiting().await?.len())
    }

    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, SweepError> {
        Ok(self.blobs.quarantine().waiting().await?)
    }

    /// Returns whether a file is older than [`SWEEP_AGE`] and has rested for [`SWEEP_REST`].
    fn is_old(&self, file: &Listed) -> bool {
        let before = shifted(self.now, -SWEEP_AGE);
        let is_old = made_at(file.id).is_some_and(|made| match made > self.now {
            // Made while the clock was ahead: ids continue from there.
            true => file.rest >= SWEEP_AGE.unsigned_abs(),
            false => made < before,
        });
        is_old && self.is_of_store(file.id) && file.rest >= SWEEP_REST
    }

    /// Returns whether a file is not older than the store.
    fn is_of_store(&self, id: Uuid) -> bool {
        let made = made_at(id);
        made.is_some_and(|made| self.since.is_none_or(|since| made >= since))
    }
}

/// Returns the instant in a UUIDv7 (RFC 9562, 5.7).
fn made_at(id: Uuid) -> Option<Timestamp> {
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    let seconds = i64::try_from(seconds).ok()?;
    let nanoseconds = i32::try_from(nanoseconds).ok()?;
    Timestamp::new(seconds, nanoseconds).ok()
}

impl From<BlobError> for SweepError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Io(fault) => Self::Io {
                action: fault.action,
                path: fault.path.display().to_string(),
                source: fault.source,
            },
            error => Self::Unavailable {
                reason: error.to_string().into(),
            },
        }
    }
}
