use parafa_format_core::DigestAlgorithm;

/// The members that signatures of a container are over.
pub trait DataObjects {
    /// Whether there is a member of a name.
    fn contains(&self, name: &str) -> bool;

    /// The digest of pieces, one after the other.
    ///
    /// # Errors
    /// The bytes of a member cannot be digested; the error says why.
    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String>;

    /// The bytes of a member that is XML and signed in part.
    ///
    /// # Errors
    /// The bytes cannot be read; the error says why.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// A piece of what is digested.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Piece<'a> {
    /// Bytes at hand.
    Bytes(&'a [u8]),
    /// The bytes of a member.
    Member(&'a str),
}
