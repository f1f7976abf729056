//! Where the embedded engine keeps its files, and what it may use.

use std::num::NonZeroU16;
use std::path::PathBuf;

use super::loss::AcceptedLoss;

/// Where the engine keeps its files, and how much memory it may use.
#[derive(Clone, Debug)]
pub struct SledOptions {
    /// The folder; made when it is missing.
    pub folder: PathBuf,
    /// Size of the page cache in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync makes durable.
    pub commits_per_sync: NonZeroU16,
    /// Whether to go on with what is left of a store that has lost something.
    pub accepted_loss: AcceptedLoss,
}

impl SledOptions {
    /// Size of the page cache in bytes when nothing else is asked for.
    pub const DEFAULT_CACHE_BYTES: u64 = 64 * 1024 * 1024;
    /// Least size of the page cache in bytes: with less the engine does not start.
    pub const LEAST_CACHE_BYTES: u64 = 256;
    /// Most commits that one sync makes durable when nothing else is asked for.
    pub const DEFAULT_COMMITS_PER_SYNC: NonZeroU16 = NonZeroU16::new(256).expect("it is not zero");

    /// The folder with the default cache.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            cache_bytes: Self::DEFAULT_CACHE_BYTES,
            commits_per_sync: Self::DEFAULT_COMMITS_PER_SYNC,
            accepted_loss: AcceptedLoss::None,
        }
    }
}
