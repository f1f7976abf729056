use parafa_format_core::Refusal;

/// Reason for rejecting a document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Not XML 1.0 with namespaces.
    #[error("it is not well-formed XML: {0}")]
    Malformed(String),
    /// Not in UTF-8, or declared in another encoding.
    #[error("it is not in UTF-8")]
    Encoding,
    /// A document type declaration, which could define entities.
    #[error("it has a document type declaration")]
    Doctype,
    /// A tab or line break in an attribute value. Readers must turn it into a
    /// space (XML 1.0, 3.3.3), but this parser does not.
    #[error("an attribute value has a tab or a line break that is not a character reference")]
    AttributeWhitespace,
    /// A limit is exceeded.
    #[error("it has more {what} than {most}")]
    TooMuch {
        /// Limited quantity.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// Two elements have the same identifier.
    #[error("two elements have the identifier {0:?}")]
    DuplicateId(String),
    /// An element cannot be canonicalized.
    #[error("it cannot be canonicalized: {0}")]
    Canonicalization(String),
}

impl Error {
    /// Returns the catalogue code.
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

    /// Returns the refusal of a document because of a member.
    #[must_use]
    pub fn in_member(&self, name: &str) -> Refusal {
        let detail = format!("The member {name:?} cannot be used: {self}.");
        Refusal {
            subjects: vec![name.to_owned()],
            ..Refusal::new(self.code(), detail)
        }
    }
}
