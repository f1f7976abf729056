use std::error::Error;

use jiff::Timestamp;
use parafa_store::bytes::{ByteFileError, SweepError};
use parafa_store::engine::EngineError;
use parafa_store::keys::KeyError;
use parafa_store::{FolderError, StoreError};

/// What can go wrong with what is kept.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A byte file could not be read or written.
    #[error("a byte file failed")]
    Files(#[from] ByteFileError),
    /// What nobody owns could not be moved or removed.
    #[error("a sweep failed")]
    Sweep(#[from] SweepError),
    /// Another host sweeps at this moment.
    #[error("a sweep is under way; try again when it has ended")]
    SweepUnderWay,
    /// A key could not be used.
    #[error("a data key failed")]
    Keys(#[from] KeyError),
    /// The claim on an idempotency key has run out.
    #[error("the request took so long that another one has its idempotency key")]
    ClaimLost,
    /// What is stored contradicts itself.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

impl PlatformError {
    /// Whether a transaction that ended so is known to have stored nothing.
    #[must_use]
    pub fn proves_nothing_stored(&self) -> bool {
        proves_nothing_stored(self)
    }

    /// Whether the same transaction may well succeed at the next try: others
    /// were in its way, or have taken it over.
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

    /// Whether a key or a byte file is not there: what it belonged to may have
    /// been erased since its row was read.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Keys(KeyError::Missing { .. }) | Self::Files(ByteFileError::Missing { .. })
        )
    }

    /// Whether sealed data cannot be read, now or ever: its key is gone or damaged, or
    /// does not open it.
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

/// Whether a transaction that ended so is known to have stored nothing: in
/// whatever error that comes. An engine that fails in a commit leaves that open
/// until it is reopened; what is too large for it, it does not begin to store.
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

/// Whether what is kept cannot be reached now, and may be at any moment: in
/// whatever error that comes.
#[must_use]
pub fn is_away(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| is_shared_and_away(cause) || is_folder_away(cause))
}

/// Whether that is told already: of a database and an object store that go away
/// and come back a host says so once, and not for each call and job.
#[must_use]
pub fn is_told(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(is_shared_and_away)
}

/// Logs a failure inside, unless it [is told](is_told) already.
pub fn log_failure(error: &(dyn Error + 'static), what: &str) {
    if is_told(error) {
        tracing::debug!(error, "{what}");
    } else {
        tracing::error!(error, "{what}");
    }
}

/// An error, what caused it, and so on.
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

/// Whole seconds until then, at least one.
#[must_use]
pub fn seconds_until(then: Timestamp, now: Timestamp) -> u32 {
    let seconds = then.duration_since(now).as_secs().max(0) + 1;
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
