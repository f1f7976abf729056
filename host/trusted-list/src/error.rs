use std::io;
use std::path::PathBuf;

use parafa_trust::TrustConfigError;
use parafa_xades::Fault;

/// Reason why a file is not a trusted list that may be used.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// Not XML, or XML beyond the reader's limits.
    #[error("it cannot be read")]
    Xml(#[from] parafa_xml::Error),
    /// XML, but not a trusted list.
    #[error("its root is no TrustServiceStatusList of {0}")]
    NotAList(&'static str),
    /// The signature is invalid or cannot be verified.
    #[error("its signature is not accepted")]
    Signature(#[from] Fault),
    /// The signature is valid, but weaker than required.
    #[error("its signature is not accepted: it is made with {0}")]
    Weak(String),
    /// The version of the standard is not supported.
    #[error("TSLVersionIdentifier is {0}; versions 5 and 6 are read")]
    Version(String),
    /// The list is of another kind.
    #[error("TSLType is {found:?} and has to be {wanted:?}")]
    Kind {
        /// Kind of the list.
        found: String,
        /// Kind required.
        wanted: &'static str,
    },
    /// An element is missing or has an invalid value.
    #[error("{element} {reason}")]
    Element {
        /// Its name.
        element: &'static str,
        /// The fault.
        reason: String,
    },
}

/// Reason why nothing is imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A file is larger than lists are.
    #[error("{} has more than {most} bytes", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// The limit.
        most: u64,
    },
    /// A list is not acceptable.
    #[error("{} is refused", path.display())]
    List {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: ListError,
    },
    /// No signer of the list of the lists is configured.
    #[error(
        "no signer of the list of the lists is known: name certificates with --lotl-signer, or put them into {}",
        path.display()
    )]
    NoSigners {
        /// Path searched.
        path: PathBuf,
    },
    /// A file of pinned signers has no certificate.
    #[error("{} holds no certificate in PEM", path.display())]
    Signers {
        /// Path of the file.
        path: PathBuf,
    },
    /// The list of the lists has a signer that is not pinned.
    #[error(
        "{}: the signer's certificate, SHA-256 {sha256}, is none of those that may sign the list of the lists",
        path.display()
    )]
    NotPinned {
        /// The list.
        path: PathBuf,
        /// Fingerprint of the certificate.
        sha256: String,
    },
    /// The list of the lists does not have the territory.
    #[error("{}: the list of the lists names no list of {territory}", path.display())]
    NotPointedTo {
        /// The list.
        path: PathBuf,
        /// Territory of the list.
        territory: String,
    },
    /// A list has a signer that the list of the lists does not name for it.
    #[error(
        "{}: the signer's certificate, SHA-256 {sha256}, is none of those that the list of the lists names for {territory}",
        path.display()
    )]
    OtherSigner {
        /// The list.
        path: PathBuf,
        /// Territory of the list.
        territory: String,
        /// Fingerprint of the certificate.
        sha256: String,
    },
    /// A newer list is due.
    #[error(
        "{}: {reason}; fetch the newest one, or continue with --accept-old",
        path.display()
    )]
    Old {
        /// The list.
        path: PathBuf,
        /// Since when.
        reason: String,
    },
    /// A newer one was imported before.
    #[error(
        "{}: TSLSequenceNumber is {sequence}, and list {recorded} of {territory} was imported before",
        path.display()
    )]
    Behind {
        /// The list.
        path: PathBuf,
        /// Territory of the list.
        territory: String,
        /// Its number.
        sequence: u64,
        /// The number from before.
        recorded: u64,
    },
    /// Two lists are of one territory.
    #[error("{}: another list is for {territory} too", path.display())]
    Repeated {
        /// The second one.
        path: PathBuf,
        /// Territory of the list.
        territory: String,
    },
    /// The folder of anchors is not sound.
    #[error(transparent)]
    Trust(#[from] TrustConfigError),
    /// `trust.toml`, or the record of imports, is not of its form.
    #[error("{} is malformed", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Position and cause.
        source: Box<toml::de::Error>,
    },
    /// The new folder is there already.
    #[error("{} exists already: name a new folder", path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file written would differ from the differences shown.
    #[error(
        "trust.toml has a form that cannot be edited: write each key on a line of its own, and each certificate as a [[certificate]]"
    )]
    Form,
}

impl ImportError {
    /// Returns true if the input is refused; otherwise an operation failed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Read { .. } | Self::Write { .. })
    }
}
