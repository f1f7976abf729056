use parafa_format_core::DigestAlgorithm;

/// The members that signatures of a container cover.
pub trait DataObjects {
    /// Returns whether a member exists.
    fn contains(&self, name: &str) -> bool;

    /// Returns the digest of concatenated pieces.
    ///
    /// # Errors
    /// The reason why a member cannot be digested.
    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String>;

    /// Returns the bytes of an XML member that is signed in part.
    ///
    /// # Errors
    /// The reason why the member cannot be read.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// A piece of digest input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Piece<'a> {
    /// Bytes in memory.
    Bytes(&'a [u8]),
    /// The bytes of a member.
    Member(&'a str),
}
