use parafa_format_core::Refusal;

/// Why a document is not taken.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// It is not XML 1.0 with namespaces.
    #[error("it is not well-formed XML: {0}")]
    Malformed(String),
    /// It is not in UTF-8, or says that it is in something else.
    #[error("it is not in UTF-8")]
    Encoding,
    /// It has a document type declaration, and so could have entities.
    #[error("it has a document type declaration")]
    Doctype,
    /// An attribute value has a tab or a line break, which readers have to turn
    /// into a space (XML 1.0, 3.3.3) and the parser here does not.
    #[error("an attribute value has a tab or a line break that is not a character reference")]
    AttributeWhitespace,
    /// It is beyond a limit.
    #[error("it has more {what} than {most}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// Two elements have one identifier.
    #[error("two elements have the identifier {0:?}")]
    DuplicateId(String),
    /// An element cannot be canonicalized.
    #[error("it cannot be canonicalized: {0}")]
    Canonicalization(String),
}

impl Error {
    /// The catalogue code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Doctype => "xml-doctype",
            Self::TooMuch { .. } => "xml-too-large",
            Self::Malformed(_)
            | Self::Encoding
            | Self::AttributeWhitespace
            | Self::DuplicateId(_)
            | Self::Canonicalization(_) => "xml-invalid",
        }
    }

    /// The refusal of a document because of one of its members.
    #[must_use]
    pub fn in_member(&self, name: &str) -> Refusal {
        let detail = format!("The member {name:?} cannot be used: {self}.");
        Refusal {
            subjects: vec![name.to_owned()],
            ..Refusal::new(self.code(), detail)
        }
    }
}
