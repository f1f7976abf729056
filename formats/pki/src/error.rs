use const_oid::ObjectIdentifier;

/// Why a structure cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The encoding is not the DER (or BER) of what it should be.
    #[error("malformed {what}")]
    Malformed {
        /// The ASN.1 type that was expected.
        what: &'static str,
        /// What is wrong with the encoding.
        #[source]
        source: der::Error,
    },
    /// A required component is absent.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The `ContentInfo` holds something else.
    #[error("the content type is {0}, not signed-data")]
    NotSignedData(ObjectIdentifier),
    /// The structure holds another number of signers than one.
    #[error("{0} signers where exactly one is expected")]
    SignerCount(usize),
    /// An attribute that may occur once occurs more often, or has several values.
    #[error("the attribute {0} has more than one value")]
    RepeatedAttribute(ObjectIdentifier),
    /// Elements are nested deeper than any signature needs.
    #[error("elements are nested more than {0} deep")]
    Nesting(usize),
    /// More elements than any signature needs.
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
