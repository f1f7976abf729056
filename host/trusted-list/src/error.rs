use std::io;
use std::path::PathBuf;

use parafa_trust::TrustConfigError;
use parafa_xades::Fault;

/// Why something is no trusted list that may be believed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// It is no XML that is read here.
    #[error("it cannot be read")]
    Xml(#[from] parafa_xml::Error),
    /// It is XML, and no trusted list.
    #[error("its root is no TrustServiceStatusList of {0}")]
    NotAList(&'static str),
    /// The signature does not hold, or cannot be told to.
    #[error("its signature is not accepted")]
    Signature(#[from] Fault),
    /// It holds and shows less than it should.
    #[error("its signature is not accepted: it is made with {0}")]
    Weak(String),
    /// It is of a version of the standard that is not read.
    #[error("TSLVersionIdentifier is {0}; versions 5 and 6 are read")]
    Version(String),
    /// It is a list of another kind.
    #[error("TSLType is {found:?} and has to be {wanted:?}")]
    Kind {
        /// Which one it is.
        found: String,
        /// Which one it has to be.
        wanted: &'static str,
    },
    /// An element is missing, or holds what it may not.
    #[error("{element} {reason}")]
    Element {
        /// Its name.
        element: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// Why nothing is imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is larger than lists are.
    #[error("{} has more than {most} bytes", path.display())]
    TooLarge {
        /// Which one.
        path: PathBuf,
        /// The limit.
        most: u64,
    },
    /// A list may not be believed.
    #[error("{} is refused", path.display())]
    List {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: ListError,
    },
    /// Nobody is named who may sign the list of the lists.
    #[error(
        "no signer of the list of the lists is known: name certificates with --lotl-signer, or put them into {}",
        path.display()
    )]
    NoSigners {
        /// Where they would be.
        path: PathBuf,
    },
    /// A file of pinned signers holds no certificate.
    #[error("{} holds no certificate in PEM", path.display())]
    Signers {
        /// Which one.
        path: PathBuf,
    },
    /// The list of the lists is signed by somebody else.
    #[error(
        "{}: the signer's certificate, SHA-256 {sha256}, is none of those that may sign the list of the lists",
        path.display()
    )]
    NotPinned {
        /// The list.
        path: PathBuf,
        /// Of the certificate.
        sha256: String,
    },
    /// The list of the lists does not know the territory.
    #[error("{}: the list of the lists names no list of {territory}", path.display())]
    NotPointedTo {
        /// The list.
        path: PathBuf,
        /// What it is a list of.
        territory: String,
    },
    /// A list is signed by somebody whom the list of the lists does not name for it.
    #[error(
        "{}: the signer's certificate, SHA-256 {sha256}, is none of those that the list of the lists names for {territory}",
        path.display()
    )]
    OtherSigner {
        /// The list.
        path: PathBuf,
        /// What it is a list of.
        territory: String,
        /// Of the certificate.
        sha256: String,
    },
    /// There should be a newer list.
    #[error(
        "{}: {reason}; fetch the newest one, or go on with --accept-old",
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
        /// What it is a list of.
        territory: String,
        /// Its number.
        sequence: u64,
        /// The number from before.
        recorded: u64,
    },
    /// Two lists are of one territory.
    #[error("{}: another of the lists is of {territory} too", path.display())]
    Repeated {
        /// The second one.
        path: PathBuf,
        /// What it is a list of.
        territory: String,
    },
    /// The folder of anchors is not sound.
    #[error(transparent)]
    Trust(#[from] TrustConfigError),
    /// `trust.toml`, or the record of imports, is not of its form.
    #[error("{} is malformed", path.display())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// The new folder is there already.
    #[error("{} exists already: name a new folder", path.display())]
    Exists {
        /// Which one.
        path: PathBuf,
    },
    /// What was written would not be what was shown.
    #[error(
        "trust.toml has a form that cannot be edited: write each key on a line of its own, and each certificate as a [[certificate]]"
    )]
    Form,
}

impl ImportError {
    /// Whether what was given is refused; otherwise something failed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Read { .. } | Self::Write { .. })
    }
}
