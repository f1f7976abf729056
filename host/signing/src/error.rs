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

/// Why a workflow did not do what it was asked. `crate::api::problems` maps
/// each variant to its answer.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
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
    /// There is no room for the documents.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The address is another party's.
    #[error("the email is that of another party")]
    KnownEmail(SignerId),
    /// The address is no open signer's.
    #[error("the email is that of no open signer")]
    NoOpenSigner,
    /// A live key asked for a simulation.
    #[error("only the sandbox simulates")]
    SandboxOnly,
    /// The output has no level that it could be raised to.
    #[error("the output cannot be archived")]
    ArchiveNotSupported(Cow<'static, str>),
    /// A signature cannot be archived: something that it takes is not to be had.
    #[error("the output cannot be archived completely")]
    ArchiveIncomplete(Refusal),
    /// What tells of certificates was told before they were used; there will be
    /// newer data.
    #[error("the authorities have no data for the time of the signatures yet")]
    ArchiveTooEarly {
        /// Seconds until they may have.
        retry_after: u32,
    },
    /// A service that is asked for an archive cannot answer.
    #[error("a service that tells of certificates cannot answer")]
    ArchiveServiceDown {
        /// What it was asked for.
        wanted: Option<String>,
        /// Seconds until it may answer.
        retry_after: u32,
    },
    /// Letters are asked for, and nothing sends any.
    #[error("mail is not set up")]
    NoMail,
    /// A party is added to a signing whose letters nothing can send any more.
    #[error("mail is not set up here any more")]
    CannotInvite,
    /// A ceremony does not take it, or could not be read or written.
    #[error(transparent)]
    Ceremony(#[from] CeremonyError),
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

impl SigningError {
    /// Whether a transaction that ended so is known to have stored nothing.
    pub(crate) fn proves_nothing_stored(&self) -> bool {
        match self {
            Self::Ceremony(error) => error.proves_nothing_stored(),
            _ => true,
        }
    }

    /// Whether a key or a byte file is not there.
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
