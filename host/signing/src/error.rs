use jiff::Timestamp;
use parafa_domain::{CannotAct, CannotBegin, SigningMethod};
use parafa_platform::billing::PaymentCause;
use parafa_platform::{PlatformError, seconds_until};
use parafa_plugin_host::{Fault, Refusal};
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;
use url::Url;

use crate::quota::QuotaExceeded;

/// Why a workflow did not do what it was asked. `crate::api::problems` maps
/// each variant to its answer.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowError {
    /// There is no such thing for this caller.
    #[error("not found")]
    NotFound,
    /// A list cursor names nothing that this caller has.
    #[error("the cursor is unknown")]
    UnknownCursor,
    /// Documents cannot be taken in.
    #[error("{} documents are refused", .0.len())]
    IntakeRefused(Vec<IntakeFault>),
    /// The plugin does not take a document that was to be stored.
    #[error("the file is refused")]
    FileRefused {
        /// Where what is refused stands in the request, its bytes or its name,
        /// as a JSON pointer.
        pointer: String,
        /// What the plugin says.
        refusal: Refusal,
    },
    /// The workspace cannot pay.
    #[error("the workspace cannot pay: {cause:?}")]
    PaymentRequired {
        /// Why not.
        cause: PaymentCause,
        /// A page on which a person can settle it.
        recovery_url: Option<Box<Url>>,
    },
    /// The workspace would store more than it may.
    #[error("a quota would be exceeded: {0:?}")]
    QuotaExceeded(QuotaExceeded),
    /// The workspace stores more in a minute than it may.
    #[error("too many bytes in a minute")]
    TooManyBytes {
        /// Seconds until as many may come.
        retry_after: u32,
    },
    /// The disk has too little room for more documents.
    #[error("the disk is nearly full")]
    DiskFull {
        /// Seconds until there may be room.
        retry_after: u32,
    },
    /// The signing has ended.
    #[error("the signing has ended")]
    SigningEnded,
    /// Nobody else could sign.
    #[error("the last signer cannot be removed")]
    LastSigner,
    /// There are as many parties as there may be.
    #[error("there are too many parties")]
    TooManySigners,
    /// The address is another party's.
    #[error("the email is that of another party")]
    KnownEmail,
    /// The address is no open signer's.
    #[error("the email is that of no open signer")]
    NoOpenSigner,
    /// The party is not one who is reminded.
    #[error("the party cannot be reminded")]
    NotRemindable,
    /// The party was reminded within the hour.
    #[error("the party was reminded already")]
    ReminderTooSoon {
        /// Seconds until the next reminder may go.
        retry_after: u32,
    },
    /// A live key asked for a simulation.
    #[error("only the sandbox simulates")]
    SandboxOnly,
    /// The output has no level that it could be raised to.
    #[error("the output cannot be archived")]
    ArchiveNotSupported(&'static str),
    /// A signature cannot be archived: something that it takes is not to be had.
    #[error("the output cannot be archived completely")]
    ArchiveIncomplete(Refusal),
    /// What tells of certificates was told before they were used; there will be
    /// newer data.
    #[error("authorities have not told yet of the time of the signatures")]
    ArchiveTooEarly {
        /// Seconds until they may have.
        retry_after: u32,
    },
    /// Letters are asked for, and nothing sends any.
    #[error("mail is not set up")]
    NoMail,
    /// Something that is asked for is not set up.
    #[error("{0}")]
    NotSetUp(&'static str),
    /// A service of somebody else's cannot answer at the moment.
    #[error("{0}")]
    ServiceDown(&'static str),
    /// Nobody has signed yet.
    #[error("nobody has signed yet")]
    NotYetSigned,
    /// Another attempt has the turn.
    #[error("another signer is signing")]
    Busy {
        /// Seconds after which it may be free.
        retry_after: u32,
    },
    /// The signer is one who cannot do this now.
    #[error("the signer cannot do this now")]
    SignerNotOpen,
    /// The signer's method list does not have it.
    #[error("the method {0} is not allowed for this signer")]
    MethodNotAllowed(SigningMethod),
    /// Too many attempts of one signer.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the next may start.
        retry_after: u32,
    },
    /// Too many calls wait on one link.
    #[error("too many calls wait on the link")]
    TooManyWaiting,
    /// A sandbox signing is never signed.
    #[error("the sandbox never signs")]
    SandboxNeverSigns,
    /// The document is not the one that was shown.
    #[error("the document has changed")]
    DocumentChanged,
    /// As many documents go out to the key or over the link as may.
    #[error("too many downloads at one time")]
    TooManyDownloads,
    /// As many documents go out as may, of the workspace or of all.
    #[error("no place for another download")]
    NoPlaceToDownload,
    /// A plugin failed.
    #[error("a plugin failed")]
    Plugin(#[source] Box<Fault>),
    /// Something that is kept could not be read or written.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// What is stored contradicts itself.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

/// Why one document cannot be taken in.
#[derive(Clone, Debug)]
pub enum IntakeFault {
    /// Its token names nothing that this caller has.
    UnknownFile {
        /// Where the token stands in the request, as a JSON pointer.
        pointer: String,
    },
    /// A plugin does not take it.
    Refused(RefusedDocument),
}

/// A document that a plugin does not take.
#[derive(Clone, Debug)]
pub struct RefusedDocument {
    /// Where what is refused stands in the request, its bytes or its name, as a
    /// JSON pointer.
    pub pointer: String,
    /// Where the wish to flatten it stands, or would.
    pub flatten_pointer: String,
    /// What the plugin says.
    pub refusal: Refusal,
}

impl WorkflowError {
    /// Whether a transaction that ended so is known to have stored nothing.
    pub(crate) fn proves_nothing_stored(&self) -> bool {
        self.platform()
            .is_none_or(PlatformError::proves_nothing_stored)
    }

    /// Whether the same transaction may well succeed at the next try.
    pub(crate) fn is_contention(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_contention)
    }

    /// Whether a key or a byte file is not there.
    pub(crate) fn is_missing(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_missing)
    }

    /// Whether what is sealed cannot be read, now or ever.
    pub fn is_unreadable(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_unreadable)
    }

    fn platform(&self) -> Option<&PlatformError> {
        match self {
            Self::Platform(error) => Some(error),
            _ => None,
        }
    }

    /// Why an attempt cannot begin.
    pub(crate) fn of_begin(error: CannotBegin, now: Timestamp) -> Self {
        match error {
            CannotBegin::Busy { .. } => Self::Busy {
                retry_after: BUSY_RETRY_SECONDS,
            },
            CannotBegin::MethodNotAllowed(method) => Self::MethodNotAllowed(method),
            CannotBegin::NotOpen => Self::SignerNotOpen,
            CannotBegin::TooManyAttempts { next } => Self::TooManyAttempts {
                retry_after: seconds_until(next, now),
            },
        }
    }
}

impl From<CannotAct> for WorkflowError {
    fn from(error: CannotAct) -> Self {
        match error {
            CannotAct::SignatureUnderWay => Self::Busy {
                retry_after: BUSY_RETRY_SECONDS,
            },
            CannotAct::LostTurn | CannotAct::SignerNotOpen | CannotAct::SigningEnded => {
                Self::SignerNotOpen
            }
        }
    }
}

/// When to look again whether another signer, or the same request, has
/// finished.
pub const BUSY_RETRY_SECONDS: u32 = 5;

impl From<StoreError> for WorkflowError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<ByteFileError> for WorkflowError {
    fn from(error: ByteFileError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for WorkflowError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}
