use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sees how much memory plugins take; clones are one meter. See
/// [`crate::Plugin::metered`].
#[derive(Clone, Debug, Default)]
pub struct MemoryMeter {
    peak: Arc<AtomicUsize>,
}

impl MemoryMeter {
    /// The most linear memory that a metered call had, in bytes; 0 before the
    /// first call.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    pub(crate) fn saw(&self, bytes: usize) {
        self.peak.fetch_max(bytes, Ordering::Relaxed);
    }
}
