use parafa_format_core::Integrity;

/// Why a signature does not hold.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Fault {
    /// Two elements of its file have one identifier.
    #[error("identifiers of the file are not unique: {0:?}")]
    DuplicateId(String),
    /// It has no identifier.
    #[error("the signature has no Id")]
    NoId,
    /// An element is missing, or there are several.
    #[error("{0} is not there exactly once")]
    NotOnce(&'static str),
    /// An element does not hold what it should.
    #[error("{0} cannot be read")]
    Unreadable(&'static str),
    /// An element is not built as XML Signature or XAdES has it.
    #[error("{element} is not built as its schema has it: {reason}")]
    Schema {
        /// Its name as it is written.
        element: String,
        /// What is not so.
        reason: String,
    },
    /// Its qualifying properties are those of another signature.
    #[error("the Target of QualifyingProperties is not the signature")]
    Target,
    /// What is signed as SignedProperties is not what stands in
    /// QualifyingProperties.
    #[error("the signature is not over its own SignedProperties alone")]
    SignedProperties,
    /// It signs nothing beside its own properties.
    #[error("nothing but the properties of the signature is signed")]
    SignsNothing,
    /// Two references lead to one member.
    #[error("{0:?} is referred to more than once")]
    RepeatedReference(String),
    /// A reference leads out of the container, or nowhere.
    #[error("the reference {0:?} leads to nothing in the container")]
    Location(String),
    /// A member cannot be digested as the reference says.
    #[error("{name:?} cannot be digested: {reason}")]
    Content {
        /// What the reference leads to.
        name: String,
        /// Why.
        reason: String,
    },
    /// A format is said of something that is not signed.
    #[error("DataObjectFormat refers to {0:?}, which is no reference of the signature")]
    ObjectReference(String),
    /// An algorithm is not known here.
    #[error("the algorithm {0:?} is not supported")]
    Algorithm(String),
    /// A transform is not one of those that containers need.
    #[error("the transforms of the reference {0:?} are not supported")]
    Transforms(String),
    /// The key cannot be computed with.
    #[error("the key of the signer is not supported: {0}")]
    Key(String),
    /// The certificate that the signature names does not come with it.
    #[error("the certificate that SigningCertificate names is not there")]
    NoSigner,
    /// Something has another digest than was signed.
    #[error("the digest of {0:?} is another one than was signed")]
    Digest(String),
    /// The value is not one by the key of the certificate that is named.
    #[error("the signature value does not verify under the certificate that it names")]
    Value,
}

impl Fault {
    /// A member cannot be digested.
    pub(crate) fn content(name: &str, reason: &impl ToString) -> Self {
        Self::Content {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// Whether it tells that something is wrong, and not that it is unknown.
    pub(crate) fn is_proof(&self) -> bool {
        self.integrity() != Integrity::Unsupported
    }

    /// The verdict that it comes to.
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
