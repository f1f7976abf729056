//! Options of the embedded engine: its files and limits.

use std::num::NonZeroU16;
use std::path::PathBuf;

use super::loss::AcceptedLoss;

/// Files of the engine, and its limits.
#[derive(Clone, Debug)]
pub struct SledOptions {
    /// The folder; created if missing.
    pub folder: PathBuf,
    /// Size of the page cache in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync makes durable.
    pub commits_per_sync: NonZeroU16,
    /// The loss with which the store may still be opened.
    pub accepted_loss: AcceptedLoss,
}

impl SledOptions {
    /// Default size of the page cache in bytes.
    pub const DEFAULT_CACHE_BYTES: u64 = 64 * 1024 * 1024;
    /// Least size of the page cache in bytes: with less the engine does not start.
    pub const LEAST_CACHE_BYTES: u64 = 256;
    /// Default limit of commits that one sync makes durable.
    pub const DEFAULT_COMMITS_PER_SYNC: NonZeroU16 = NonZeroU16::new(256).expect("it is not zero");

    /// Returns the options for a folder with the default cache.
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
