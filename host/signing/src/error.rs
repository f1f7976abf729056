use std::borrow::Cow;

use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::NoRoom;
use parafa_domain::SignerId;
use parafa_platform::PlatformError;
use parafa_platform::billing::PaymentCause;
use parafa_plugin_host::Refusal;
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;
use url::Url;

/// Failure of a workflow. `crate::api::problems` maps each variant to its
/// answer.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// A list cursor is not one of this caller's.
    #[error("the cursor is unknown")]
    UnknownCursor,
    /// Documents were refused at intake.
    #[error("{} documents are refused", .0.len())]
    IntakeRefused(Vec<IntakeFault>),
    /// The plugin refused a document to be stored.
    #[error("the file is refused")]
    FileRefused {
        /// JSON pointer to the refused part of the request, the bytes or the
        /// name.
        pointer: String,
        /// The plugin's refusal.
        refusal: Refusal,
    },
    /// The workspace cannot pay.
    #[error("the workspace cannot pay: {cause:?}")]
    PaymentRequired {
        /// The cause.
        cause: PaymentCause,
        /// Page on which a person can settle it.
        recovery_url: Option<Box<Url>>,
    },
    /// The documents exceed the quota.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The address belongs to another party.
    #[error("the email is that of another party")]
    KnownEmail(SignerId),
    /// The address is not an open signer's.
    #[error("the email is that of no open signer")]
    NoOpenSigner,
    /// A live key requested a simulation.
    #[error("only the sandbox simulates")]
    SandboxOnly,
    /// The output cannot be raised to a level.
    #[error("the output cannot be archived")]
    ArchiveNotSupported(Cow<'static, str>),
    /// A signature cannot be archived: validation material is unavailable.
    #[error("the output cannot be archived completely")]
    ArchiveIncomplete(Refusal),
    /// Revocation data precede the use of certificates; newer data will come.
    #[error("the authorities have no data for the time of the signatures yet")]
    ArchiveTooEarly {
        /// Seconds until they may exist.
        retry_after: u32,
    },
    /// A service needed for an archive cannot answer.
    #[error("a certificate status service cannot answer")]
    ArchiveServiceDown {
        /// The wanted data.
        wanted: Option<String>,
        /// Seconds until it may answer.
        retry_after: u32,
    },
    /// Letters are requested, and mail is not configured.
    #[error("mail is not set up")]
    NoMail,
    /// A party is added to a signing whose letters can no longer be sent.
    #[error("mail is not set up here any more")]
    CannotInvite,
    /// A ceremony refused it, or could not be read or written.
    #[error(transparent)]
    Ceremony(#[from] CeremonyError),
}

/// Fault of one document at intake.
#[derive(Clone, Debug)]
pub enum IntakeFault {
    /// Its token is not one of this caller's.
    UnknownFile {
        /// JSON pointer to the token.
        pointer: String,
    },
    /// A plugin refused it.
    Refused(RefusedDocument),
}

/// A document refused by a plugin.
#[derive(Clone, Debug)]
pub struct RefusedDocument {
    /// JSON pointer to the refused part of the request, the bytes or the name.
    pub pointer: String,
    /// JSON pointer to the flatten option, present or not.
    pub flatten_pointer: String,
    /// The plugin's refusal.
    pub refusal: Refusal,
}

impl SigningError {
    /// Returns whether a transaction with this error is known to have stored
    /// nothing.
    pub(crate) fn proves_nothing_stored(&self) -> bool {
        match self {
            Self::Ceremony(error) => error.proves_nothing_stored(),
            _ => true,
        }
    }

    /// Returns whether a key or a byte file is missing.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Ceremony(error) if error.is_missing())
    }
}

impl From<PlatformError> for SigningError {
    fn from(error: PlatformError) -> Self {
        Self::Ceremony(error.into())
    }
}

impl From<StoreError> for SigningError {
    fn from(error: StoreError) -> Self {
        Self::Ceremony(error.into())
    }
}

impl From<ByteFileError> for SigningError {
    fn from(error: ByteFileError) -> Self {
        Self::Ceremony(error.into())
    }
}

impl From<KeyError> for SigningError {
    fn from(error: KeyError) -> Self {
        Self::Ceremony(error.into())
    }
}
