use std::num::{NonZeroU16, NonZeroU32, NonZeroUsize};
use std::time::Duration;

use parafa_api_signing::{MIB, RateLimits};
use parafa_store::StoreMode;
use serde::Deserialize;

/// How many times as often as usual a key may come in the demo.
pub(super) const DEMO_RATES: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

/// Bounds on requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Longest request body, in bytes.
    pub max_body_bytes: NonZeroUsize,
    /// Longest request body of a batch, in bytes.
    pub max_batch_body_bytes: NonZeroUsize,
    /// Requests that read, for each key and minute; without it as many as are
    /// usual, and in the demo a hundred times as many.
    pub reads_per_minute: Option<NonZeroU32>,
    /// All other requests, likewise.
    pub writes_per_minute: Option<NonZeroU32>,
    /// Documents that a workspace may store in all, in megabytes; without it as
    /// many as are usual, and in the demo a hundred times as many.
    pub stored_megabytes: Option<NonZeroU32>,
    /// Signings of a workspace that have not ended, likewise.
    pub open_signings: Option<NonZeroU32>,
    /// The same as `stored_megabytes` of test keys.
    pub sandbox_stored_megabytes: Option<NonZeroU32>,
    /// The same as `open_signings` of test keys.
    pub sandbox_open_signings: Option<NonZeroU32>,
    /// Documents that a workspace may store within a minute, likewise.
    pub stored_megabytes_per_minute: Option<NonZeroU32>,
    /// Free space on the disk below which no documents are taken, in megabytes;
    /// without it as much as is usual, and in the demo a tenth of that.
    pub free_megabytes: Option<u32>,
    /// Documents that are sent at the same time.
    pub downloads: NonZeroU32,
    /// How long a stored file is kept, in days.
    pub file_days: NonZeroU16,
    /// How long a signature that a device has made is worth finishing, in
    /// hours from the start of its attempt.
    pub finish_hours: NonZeroU16,
    /// Plugin calls at the same time.
    pub plugin_calls: NonZeroU32,
    /// Memory of one plugin call, in bytes.
    pub plugin_memory_bytes: NonZeroUsize,
    /// What is inflated for one plugin call, in bytes.
    pub plugin_inflated_bytes: NonZeroUsize,
    /// Time of one plugin call, in seconds.
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
    /// How often each key may come. The demo is generous, unless somebody has
    /// said how much is to be allowed.
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

    /// Time of one plugin call.
    #[must_use]
    pub fn plugin_time(&self) -> Duration {
        Duration::from_secs(self.plugin_seconds.get().into())
    }
}

fn mebibytes(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count * MIB).expect("no limit is zero")
}
