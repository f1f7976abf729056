//! Why a place in a file is not the syntax that should be there.

/// Why a place in a file is not the syntax that should be there.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum ScanError {
    /// A dictionary has a key twice, and readers take different values.
    #[error("a dictionary at byte {0} has a key twice")]
    DuplicateKey(usize),
    /// The input stops inside a value.
    #[error("the input ends inside a value that starts at byte {0}")]
    End(usize),
    /// Arrays and dictionaries inside each other beyond the limit.
    #[error("values are nested deeper than the limit at byte {0}")]
    Nesting(usize),
    /// A stream's dictionary does not say how long the data is.
    #[error("the stream has no /Length")]
    NoLength,
    /// Something else stands there.
    #[error("unexpected syntax at byte {0}")]
    Syntax(usize),
    /// Values that take more memory than the limit.
    #[error("more values than the limit at byte {0}")]
    Values(usize),
}
