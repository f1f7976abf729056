/// How much of an archive is taken before it is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Entries, folders among them.
    pub entries: u64,
    /// Bytes of one name in UTF-8.
    pub name_bytes: usize,
    /// Bytes of the central directory.
    pub directory_bytes: u64,
    /// Bytes of all members together, inflated.
    pub inflated_bytes: u64,
    /// Inflated bytes for one byte of the archive, beyond the first
    /// [`Self::FREE_BYTES`].
    pub ratio: u64,
}

impl Limits {
    /// Inflated bytes up to which no ratio is judged.
    pub const FREE_BYTES: u64 = 1024 * 1024;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 1000,
            name_bytes: 1024,
            directory_bytes: 4 * 1024 * 1024,
            inflated_bytes: 200 * 1024 * 1024,
            ratio: 100,
        }
    }
}
