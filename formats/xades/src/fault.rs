use parafa_format_core::Integrity;

/// Reason why a signature is not valid.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Fault {
    /// Two elements of the file have the same identifier.
    #[error("identifiers of the file are not unique: {0:?}")]
    DuplicateId(String),
    /// The signature has no identifier.
    #[error("the signature has no Id")]
    NoId,
    /// An element is missing or repeated.
    #[error("{0} is not there exactly once")]
    NotOnce(&'static str),
    /// An element has invalid content.
    #[error("{0} cannot be read")]
    Unreadable(&'static str),
    /// An element violates the schema of XML Signature or XAdES.
    #[error("{element} is not built as its schema has it: {reason}")]
    Schema {
        /// Element name, as written.
        element: String,
        /// Violation of the schema.
        reason: String,
    },
    /// The qualifying properties belong to another signature.
    #[error("the Target of QualifyingProperties is not the signature")]
    Target,
    /// The signed SignedProperties are not those in QualifyingProperties.
    #[error("the signature is not over its own SignedProperties alone")]
    SignedProperties,
    /// The signature covers only its own properties.
    #[error("nothing but the properties of the signature is signed")]
    SignsNothing,
    /// Two references lead to the same member.
    #[error("{0:?} is referred to more than once")]
    RepeatedReference(String),
    /// A reference leads outside the container, or nowhere.
    #[error("the reference {0:?} leads to nothing in the container")]
    Location(String),
    /// A member cannot be digested as the reference states.
    #[error("{name:?} cannot be digested: {reason}")]
    Content {
        /// Target of the reference.
        name: String,
        /// Cause.
        reason: String,
    },
    /// A format is stated for an unsigned object.
    #[error("DataObjectFormat refers to {0:?}, which is no reference of the signature")]
    ObjectReference(String),
    /// An algorithm is unknown.
    #[error("the algorithm {0:?} is not supported")]
    Algorithm(String),
    /// A transform is not among those used by containers.
    #[error("the transforms of the reference {0:?} are not supported")]
    Transforms(String),
    /// The key cannot be used.
    #[error("the key of the signer is not supported: {0}")]
    Key(String),
    /// The certificate named by the signature is missing.
    #[error("the certificate that SigningCertificate names is not there")]
    NoSigner,
    /// A digest does not match.
    #[error("the digest of {0:?} is another one than was signed")]
    Digest(String),
    /// The value was not made with the key of the named certificate.
    #[error("the signature value does not verify under the certificate that it names")]
    Value,
}

impl Fault {
    /// Creates the fault of a member that cannot be digested.
    pub(crate) fn content(name: &str, reason: &impl ToString) -> Self {
        Self::Content {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// Returns whether this proves a defect, rather than an unknown.
    pub(crate) fn is_proof(&self) -> bool {
        self.integrity() != Integrity::Unsupported
    }

    /// Returns the resulting verdict.
    #[must_use]
    pub fn integrity(&self) -> Integrity {
        match self {
            Self::Algorithm(_) | Self::Key(_) => Integrity::Unsupported,
            Self::Digest(_) | Self::Location(_) | Self::Content { .. } => Integrity::DigestMismatch,
            Self::Value => Integrity::SignatureMismatch,
            _ => Integrity::Malformed,
        }
    }
}
