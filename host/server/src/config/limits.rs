use std::num::{NonZeroU16, NonZeroU32, NonZeroUsize};
use std::time::Duration;

use parafa_api_signing::{MIB, RateLimits};
use parafa_store::StoreMode;
use serde::Deserialize;

/// Factor by which the demo raises request rates.
pub(super) const DEMO_RATES: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

/// Bounds on requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum size of a request body, in bytes.
    pub max_body_bytes: NonZeroUsize,
    /// Maximum size of the request body of a batch, in bytes.
    pub max_batch_body_bytes: NonZeroUsize,
    /// Read requests per key and minute. The default is a hundred times as high
    /// in a demo.
    pub reads_per_minute: Option<NonZeroU32>,
    /// All other requests, likewise.
    pub writes_per_minute: Option<NonZeroU32>,
    /// Total size of the documents that a workspace may store, in megabytes.
    /// The default is a hundred times as high in a demo.
    pub stored_megabytes: Option<NonZeroU32>,
    /// Open signings of a workspace, likewise.
    pub open_signings: Option<NonZeroU32>,
    /// Like `stored_megabytes`, for test keys.
    pub sandbox_stored_megabytes: Option<NonZeroU32>,
    /// Like `open_signings`, for test keys.
    pub sandbox_open_signings: Option<NonZeroU32>,
    /// Documents that a workspace may store per minute, in megabytes, likewise.
    pub stored_megabytes_per_minute: Option<NonZeroU32>,
    /// Free disk space below which no documents are accepted, in megabytes. The
    /// default is a tenth of it in a demo.
    pub free_megabytes: Option<u32>,
    /// Concurrent downloads of documents.
    pub downloads: NonZeroU32,
    /// Retention of a stored file, in days.
    pub file_days: NonZeroU16,
    /// Time limit for completing a signature that a device has made, in hours
    /// from the start of its attempt.
    pub finish_hours: NonZeroU16,
    /// Concurrent plugin calls.
    pub plugin_calls: NonZeroU32,
    /// Memory of one plugin call, in bytes.
    pub plugin_memory_bytes: NonZeroUsize,
    /// Maximum amount of inflated data of one plugin call, in bytes.
    pub plugin_inflated_bytes: NonZeroUsize,
    /// Time limit of one plugin call, in seconds.
    pub plugin_seconds: NonZeroU32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body_bytes: mebibytes(24),
            max_batch_body_bytes: mebibytes(128),
            reads_per_minute: None,
            writes_per_minute: None,
            stored_megabytes: None,
            open_signings: None,
            sandbox_stored_megabytes: None,
            sandbox_open_signings: None,
            stored_megabytes_per_minute: None,
            free_megabytes: None,
            downloads: NonZeroU32::new(1024).expect("a thousand is not zero"),
            file_days: NonZeroU16::new(7).expect("seven is not zero"),
            finish_hours: NonZeroU16::new(24).expect("a day is not zero"),
            plugin_calls: NonZeroU32::new(16).expect("sixteen is not zero"),
            plugin_memory_bytes: mebibytes(256),
            plugin_inflated_bytes: mebibytes(512),
            plugin_seconds: NonZeroU32::new(10).expect("ten is not zero"),
        }
    }
}

impl Limits {
    /// Returns the request rates of each key. The demo is generous, unless a
    /// rate is configured.
    pub(crate) fn rates(&self, mode: StoreMode) -> RateLimits {
        let usual = RateLimits::default();
        let default = |rate: NonZeroU32| match mode {
            StoreMode::Demo => rate.saturating_mul(DEMO_RATES),
            StoreMode::Production => rate,
        };
        RateLimits {
            reads_per_minute: self
                .reads_per_minute
                .unwrap_or_else(|| default(usual.reads_per_minute)),
            writes_per_minute: self
                .writes_per_minute
                .unwrap_or_else(|| default(usual.writes_per_minute)),
        }
    }

    /// Returns the time limit of one plugin call.
    #[must_use]
    pub fn plugin_time(&self) -> Duration {
        Duration::from_secs(self.plugin_seconds.get().into())
    }
}

fn mebibytes(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count * MIB).expect("no limit is zero")
}
