use std::error::Error;

use jiff::Timestamp;
use parafa_store::bytes::{ByteFileError, SweepError};
use parafa_store::engine::EngineError;
use parafa_store::keys::KeyError;
use parafa_store::{FolderError, StoreError};

/// Failure of the records.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A byte file could not be read or written.
    #[error("a byte file failed")]
    Files(#[from] ByteFileError),
    /// Orphaned content could not be moved or removed.
    #[error("a sweep failed")]
    Sweep(#[from] SweepError),
    /// Another host is sweeping.
    #[error("a sweep is under way; try again when it has ended")]
    SweepUnderWay,
    /// A key could not be used.
    #[error("a data key failed")]
    Keys(#[from] KeyError),
    /// The claim on an idempotency key has been lost.
    #[error("the request took so long that another one has its idempotency key")]
    ClaimLost,
    /// Stored data are inconsistent.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

impl PlatformError {
    /// Returns whether a transaction with this error is known to have stored nothing.
    #[must_use]
    pub fn proves_nothing_stored(&self) -> bool {
        proves_nothing_stored(self)
    }

    /// Returns whether a retry may succeed, because other transactions conflicted or
    /// have taken over.
    #[must_use]
    pub fn is_contention(&self) -> bool {
        matches!(
            self,
            Self::Store(
                StoreError::Contention { .. }
                    | StoreError::JobLost { .. }
                    | StoreError::LeaseLost { .. }
            )
        )
    }

    /// Returns whether a key or a byte file is missing: its owner may have been erased
    /// since its row was read.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Keys(KeyError::Missing { .. }) | Self::Files(ByteFileError::Missing { .. })
        )
    }

    /// Returns whether sealed data are permanently unreadable: the key is gone or
    /// damaged, or does not open them.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Keys(
                KeyError::Missing { .. }
                    | KeyError::Damaged { .. }
                    | KeyError::Unsealable
                    | KeyError::Json
            )
        )
    }
}

/// Returns whether a transaction with this error, or one caused by it, is known to
/// have stored nothing. If an engine fails in a commit, the outcome is unknown until
/// it is reopened. A commit that is too large is not begun.
#[must_use]
pub fn proves_nothing_stored(error: &(dyn Error + 'static)) -> bool {
    causes(error).all(|cause| match cause.downcast_ref() {
        Some(StoreError::Engine(error)) => matches!(
            error,
            EngineError::CommitTooLarge { .. }
                | EngineError::KeyTooLong { .. }
                | EngineError::TooManyWrites { .. }
                | EngineError::ValueTooLarge { .. }
        ),
        _ => true,
    })
}

/// Returns whether the error, or a cause of it, is a temporary outage of the storage.
#[must_use]
pub fn is_away(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| is_shared_and_away(cause) || is_folder_away(cause))
}

/// Returns whether the outage is logged elsewhere: a host logs once when a database or
/// an object store becomes unavailable or returns, not for each call and job.
#[must_use]
pub fn is_told(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(is_shared_and_away)
}

/// Logs an internal failure, unless it is [logged elsewhere](is_told).
pub fn log_failure(error: &(dyn Error + 'static), what: &str) {
    if is_told(error) {
        tracing::debug!(error, "{what}");
    } else {
        tracing::error!(error, "{what}");
    }
}

/// Formats an error with all its causes.
#[must_use]
pub fn reasons(error: &(dyn Error + 'static)) -> String {
    let causes: Vec<String> = causes(error).map(ToString::to_string).collect();
    causes.join(": ")
}

/// Iterates over an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn is_shared_and_away(cause: &(dyn Error + 'static)) -> bool {
    let engine = cause.downcast_ref();
    let files = cause.downcast_ref();
    let keys = cause.downcast_ref();
    let sweep = cause.downcast_ref();
    let folder = cause.downcast_ref();
    matches!(
        engine,
        Some(StoreError::Engine(EngineError::Unavailable { .. }))
    ) || matches!(files, Some(ByteFileError::Unavailable { .. }))
        || matches!(keys, Some(KeyError::Unavailable { .. }))
        || matches!(sweep, Some(SweepError::Unavailable { .. }))
        || folder.is_some_and(FolderError::is_away)
}

fn is_folder_away(cause: &(dyn Error + 'static)) -> bool {
    matches!(cause.downcast_ref(), Some(KeyError::FolderAway { .. }))
}

/// Returns the whole seconds until then, at least one.
#[must_use]
pub fn seconds_until(then: Timestamp, now: Timestamp) -> u32 {
    let seconds = then.duration_since(now).as_secs().max(0) + 1;
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
