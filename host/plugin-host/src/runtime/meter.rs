use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Measures the memory of plugins; clones share the meter. See [`crate::Plugin::metered`].
#[derive(Clone, Debug, Default)]
pub struct MemoryMeter {
    peak: Arc<AtomicUsize>,
}

impl MemoryMeter {
    /// Returns the most linear memory of a metered call, in bytes; 0 before the first call.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    pub(crate) fn saw(&self, bytes: usize) {
        self.peak.fetch_max(bytes, Ordering::Relaxed);
    }
}
