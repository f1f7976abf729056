use jiff::Timestamp;
use parafa_store::StoreError;
use parafa_store::bytes::{ByteFileError, SweepError};
use parafa_store::engine::EngineError;
use parafa_store::keys::KeyError;

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
    /// A key could not be used.
    #[error("a data key failed")]
    Keys(#[from] KeyError),
    /// The claim on an idempotency key has run out.
    #[error("the request took so long that its idempotency key was given to another")]
    ClaimLost,
    /// What is stored contradicts itself.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

impl PlatformError {
    /// Whether a transaction that ended so is known to have stored nothing. An
    /// engine that fails in a commit leaves that open until it is reopened; what
    /// is too large for it, it does not begin to store.
    #[must_use]
    pub fn proves_nothing_stored(&self) -> bool {
        match self {
            Self::Store(StoreError::Engine(error)) => matches!(
                error,
                EngineError::CommitTooLarge { .. }
                    | EngineError::KeyTooLong { .. }
                    | EngineError::TooManyWrites { .. }
                    | EngineError::ValueTooLarge { .. }
            ),
            _ => true,
        }
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

    /// Whether what is sealed cannot be read, now or ever: its key is gone or
    /// damaged, or does not open it.
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

/// Whole seconds until then, at least one.
#[must_use]
pub fn seconds_until(then: Timestamp, now: Timestamp) -> u32 {
    let seconds = then.duration_since(now).as_secs().max(0) + 1;
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
