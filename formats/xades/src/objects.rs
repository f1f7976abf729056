use parafa_format_core::DigestAlgorithm;

/// The members that signatures of a container are over.
pub trait DataObjects {
    /// Whether there is a member of a name.
    fn contains(&self, name: &str) -> bool;

    /// The digest of a member's bytes.
    ///
    /// # Errors
    /// The bytes cannot be digested; the error says why.
    fn digest(&self, name: &str, algorithm: DigestAlgorithm) -> Result<Vec<u8>, String>;

    /// The bytes of a member that is XML and signed in part.
    ///
    /// # Errors
    /// The bytes cannot be read; the error says why.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}
