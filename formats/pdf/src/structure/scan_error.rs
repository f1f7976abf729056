//! Syntax errors in a file.

/// A syntax error at an offset of a file.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum ScanError {
    /// A duplicate dictionary key that readers resolve differently.
    #[error("a dictionary at byte {0} has a key twice")]
    DuplicateKey(usize),
    /// Unexpected end of input inside a value.
    #[error("the input ends inside a value that starts at byte {0}")]
    End(usize),
    /// Arrays and dictionaries nested beyond the limit.
    #[error("values are nested deeper than the limit at byte {0}")]
    Nesting(usize),
    /// Missing stream length.
    #[error("the stream has no /Length")]
    NoLength,
    /// Unexpected token.
    #[error("unexpected syntax at byte {0}")]
    Syntax(usize),
    /// Values that exceed the memory limit.
    #[error("more values than the limit at byte {0}")]
    Values(usize),
}
