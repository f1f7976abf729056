use const_oid::ObjectIdentifier;

/// Error of reading a structure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The encoding is not valid DER (or BER) of the expected type.
    #[error("malformed {what}")]
    Malformed {
        /// Expected ASN.1 type.
        what: &'static str,
        /// Defect of the encoding.
        #[source]
        source: der::Error,
    },
    /// A required component is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The `ContentInfo` has another content type.
    #[error("the content type is {0}, not signed-data")]
    NotSignedData(ObjectIdentifier),
    /// The number of signers is not one.
    #[error("{0} signers where exactly one is expected")]
    SignerCount(usize),
    /// A single-valued attribute is repeated or has several values.
    #[error("the attribute {0} has more than one value")]
    RepeatedAttribute(ObjectIdentifier),
    /// Elements are nested deeper than in any real signature.
    #[error("elements are nested more than {0} deep")]
    Nesting(usize),
    /// There are more elements than in any real signature.
    #[error("more than {0} elements")]
    TooManyElements(usize),
}

impl Error {
    pub(crate) fn malformed(what: &'static str) -> impl Fn(der::Error) -> Self {
        move |source| Self::Malformed { what, source }
    }

    pub(crate) fn unexpected(what: &'static str) -> Self {
        Self::Malformed {
            what,
            source: der::ErrorKind::Failed.into(),
        }
    }
}
