use jiff::Timestamp;
use parafa_domain::{
    AttemptFailure, CannotAct, CannotBegin, Ceremony, CeremonyStatus, SignerId, SignerStatus,
    SigningMethod,
};
use parafa_platform::{PlatformError, seconds_until};
use parafa_plugin_host::{Fault, PluginAway};
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;
use uuid::Uuid;

/// Failure of an operation on a ceremony. `crate::api` maps each variant to its
/// answer.
#[derive(Debug, thiserror::Error)]
pub enum CeremonyError {
    /// The subject does not exist for this caller.
    #[error("not found")]
    NotFound,
    /// The ceremony has ended; with a pending one, by its deadline.
    #[error("the signing has ended: it is {0}")]
    SigningEnded(CeremonyStatus),
    /// There would be no other signer.
    #[error("the last signer cannot be removed")]
    LastSigner,
    /// The number of parties is at its limit.
    #[error("there are too many parties")]
    TooManySigners,
    /// The party cannot be reminded, because of its status, or because there was
    /// no invitation by mail.
    #[error("the party cannot be reminded")]
    NotRemindable(Option<SignerStatus>),
    /// The party was reminded within the hour.
    #[error("the party was reminded already")]
    ReminderTooSoon {
        /// Seconds until the next reminder is allowed.
        retry_after: u32,
    },
    /// A needed plugin is disabled, and may return.
    #[error("{format} documents cannot be {done} at the moment: their plugin is disabled")]
    OutOfUse {
        /// The plugin's id, or the extension of its documents.
        format: String,
        /// The missing operation, as a participle.
        done: &'static str,
    },
    /// Documents of our own cannot be composed at the moment.
    #[error("PDF documents cannot be made at the moment")]
    NoDocuments,
    /// An external service cannot answer at the moment.
    #[error("{0}")]
    ServiceDown(&'static str),
    /// A ceremony with this status has no signatures.
    #[error("nobody has signed yet")]
    NotYetSigned(CeremonyStatus),
    /// Another attempt has the turn.
    #[error("another signer is signing")]
    Busy,
    /// The signer cannot do this now, because of their status, or because their
    /// attempt can no longer be stopped.
    #[error("the signer cannot do this now")]
    SignerNotOpen(Option<SignerStatus>),
    /// The method is not allowed to the signer.
    #[error("the method {0} is not allowed for this signer")]
    MethodNotAllowed(SigningMethod),
    /// The method is not available here.
    #[error("the method {0} is not set up here")]
    MethodNotSetUp(SigningMethod),
    /// A submission of a card's app was refused.
    #[error("{member} {detail}")]
    CardRefused {
        /// JSON pointer to the member.
        member: &'static str,
        /// The fault.
        detail: String,
    },
    /// A submission of a card's app has ended the attempt.
    #[error("the attempt ended: {}", .failure.code())]
    AttemptFailed {
        /// The cause.
        failure: AttemptFailure,
        /// The link is locked to one person.
        is_locked: bool,
    },
    /// Too many attempts.
    #[error("too many attempts")]
    TooManyAttempts {
        /// The common subject of the counted attempts.
        of: AttemptsOf,
        /// Seconds until the next may start.
        retry_after: u32,
    },
    /// Too many calls wait on one link.
    #[error("too many calls wait on the link")]
    TooManyWaiting,
    /// A ceremony of the sandbox cannot be signed.
    #[error("the sandbox never signs")]
    SandboxNeverSigns,
    /// The document is not the one that was shown.
    #[error("the document has changed")]
    DocumentChanged,
    /// The key or the link has reached its limit of downloads.
    #[error("too many downloads at one time")]
    TooManyDownloads,
    /// A member of the document is too large to be shown on its own.
    #[error("a member of {bytes} bytes is too large to be shown")]
    MemberTooLarge {
        /// Its length.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The workspace or the server has reached its limit of downloads.
    #[error("no place for another download")]
    NoPlaceToDownload,
    /// Too many pages read their links at the same time.
    #[error("no turn to look at the link")]
    NoTurnToLook,
    /// A plugin failed.
    #[error("a plugin failed")]
    Plugin(#[source] Box<Fault>),
    /// The plugin of an attempt cannot be fetched now.
    #[error(transparent)]
    PluginAway(#[from] PluginAway),
    /// The records could not be read or written.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// Stored data are inconsistent.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

/// Subject of counted attempts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AttemptsOf {
    /// One link.
    Link,
    /// One person, over any links.
    Person,
}

impl CeremonyError {
    /// Returns whether a transaction with this error is known to have stored
    /// nothing.
    pub fn proves_nothing_stored(&self) -> bool {
        self.platform()
            .is_none_or(PlatformError::proves_nothing_stored)
    }

    /// Returns whether a retry may succeed.
    pub fn is_contention(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_contention)
    }

    /// Returns whether a key or a byte file is missing.
    pub fn is_missing(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_missing)
    }

    /// Returns whether sealed data are permanently unreadable.
    pub fn is_unreadable(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_unreadable)
    }

    fn platform(&self) -> Option<&PlatformError> {
        match self {
            Self::Platform(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the error for an attempt that cannot begin, or have the turn.
    pub(crate) fn of_begin(
        error: CannotBegin,
        ceremony: &Ceremony,
        signer: SignerId,
        now: Timestamp,
    ) -> Self {
        match error {
            CannotBegin::Busy => Self::Busy,
            CannotBegin::MethodNotAllowed(method) => Self::MethodNotAllowed(method),
            CannotBegin::NotOpen => {
                Self::SignerNotOpen(ceremony.signer(signer).map(|signer| signer.status))
            }
            CannotBegin::TooManyAttempts { next } => Self::TooManyAttempts {
                of: AttemptsOf::Link,
                retry_after: seconds_until(next, now),
            },
        }
    }
}

impl From<CannotAct> for CeremonyError {
    fn from(error: CannotAct) -> Self {
        match error {
            CannotAct::SignatureUnderWay => Self::Busy,
            CannotAct::LostTurn | CannotAct::SignerNotOpen | CannotAct::SigningEnded => {
                Self::SignerNotOpen(None)
            }
        }
    }
}

/// Delay before checking again for the end of another signer's attempt, or of the
/// same request. An attempt usually ends long before the latest time for it.
pub const BUSY_RETRY_SECONDS: u32 = 5;

impl From<StoreError> for CeremonyError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<ByteFileError> for CeremonyError {
    fn from(error: ByteFileError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for CeremonyError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}

/// Returns `None`, and logs `what`, where a ceremony cannot be read.
pub(crate) fn unless_unreadable<T>(
    read: Result<T, CeremonyError>,
    ceremony: Uuid,
    what: &str,
) -> Result<Option<T>, CeremonyError> {
    match read {
        Err(error) if error.is_unreadable() => {
            let error: &dyn std::error::Error = &error;
            tracing::error!(signing.id = %ceremony, error, "{what}");
            Ok(None)
        }
        read => read.map(Some),
    }
}
