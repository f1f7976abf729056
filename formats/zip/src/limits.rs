/// Limits on archives; beyond them an archive is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Number of entries, including folders.
    pub entries: u64,
    /// Bytes of one name in UTF-8.
    pub name_bytes: usize,
    /// Bytes of the central directory.
    pub directory_bytes: u64,
    /// Uncompressed bytes of all members together.
    pub inflated_bytes: u64,
    /// Uncompressed bytes per byte of the archive, beyond the first
    /// [`Self::FREE_BYTES`].
    pub ratio: u64,
}

impl Limits {
    /// Uncompressed bytes without a ratio check.
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
