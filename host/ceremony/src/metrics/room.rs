use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use parafa_platform::accounts::KeyMode;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::quota::{NoRoom, Quota, Uploads};

/// Metrics of this process.
static METRICS: LazyLock<RoomMetrics> = LazyLock::new(RoomMetrics::default);

/// Storage of workspaces, and refused uploads.
#[derive(Debug, Default)]
struct RoomMetrics {
    refused: Family<RefusalLabels, Counter>,
    stored_bytes: Family<ModeLabels, Gauge>,
    open_signings: Family<ModeLabels, Gauge>,
    fullest: Family<QuotaLabels, Gauge<f64, AtomicU64>>,
    /// Without a sample while no disk is known: 0 would mean a full one.
    free_bytes: Family<NoLabels, Gauge>,
}

type NoLabels = [(&'static str, &'static str); 0];

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RefusalLabels {
    mode: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ModeLabels {
    mode: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct QuotaLabels {
    mode: &'static str,
    quota: &'static str,
}

/// Reason why documents were refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Shortage {
    /// A quota.
    Of(Quota),
    /// The bytes in this minute.
    Pace,
    /// The free space on the disk.
    Disk,
    /// The records, which do not tell how much is stored.
    Records,
}

impl Shortage {
    /// Returns the reason of a refused upload.
    pub(crate) fn of(error: &NoRoom) -> Self {
        match error {
            NoRoom::QuotaExceeded(exceeded) => Self::Of(exceeded.quota),
            NoRoom::TooManyBytes { .. } => Self::Pace,
            NoRoom::DiskFull { .. } => Self::Disk,
            NoRoom::NotCounted { .. } => Self::Records,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Of(quota) => quota.name(),
            Self::Pace => "bytes-per-minute",
            Self::Disk => "disk",
            Self::Records => "records",
        }
    }
}

/// Counts a refused upload.
pub(crate) fn upload_refused(shortage: Shortage, mode: KeyMode) {
    let labels = RefusalLabels {
        mode: name_of(mode),
        reason: shortage.name(),
    };
    METRICS.refused.get_or_create(&labels).inc();
}

/// Updates how much is stored. A value that cannot be read is left unchanged.
pub async fn look_at_quotas(uploads: &Uploads) {
    let metrics = &*METRICS;
    match uploads.free_space().await {
        Some(free) => {
            metrics.free_bytes.get_or_create(&[]).set(gauged(free));
        }
        None => metrics.free_bytes.clear(),
    }
    for mode in [KeyMode::Live, KeyMode::Test] {
        let usage = match uploads.usage_of_all(mode).await {
            Ok(usage) => usage,
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the stored amounts cannot be looked up");
                return;
            }
        };
        let mode = name_of(mode);
        let [bytes, open] = usage.total.map(gauged);
        let labels = ModeLabels { mode };
        metrics.stored_bytes.get_or_create(&labels).set(bytes);
        metrics.open_signings.get_or_create(&labels).set(open);
        for (quota, share) in usage.fullest {
            let quota = quota.name();
            let labels = QuotaLabels { mode, quota };
            metrics.fullest.get_or_create(&labels).set(share);
        }
    }
}

fn name_of(mode: KeyMode) -> &'static str {
    match mode {
        KeyMode::Live => "live",
        KeyMode::Test => "test",
    }
}

fn gauged(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// Registers the metrics.
pub(super) fn register(registry: &mut Registry) {
    registry.register(
        "uploads_refused",
        "Requests refused because their documents could not be stored, by the limit that was reached",
        METRICS.refused.clone(),
    );
    registry.register(
        "stored_bytes",
        "Bytes of documents that are stored",
        METRICS.stored_bytes.clone(),
    );
    registry.register(
        "open_signings",
        "Signings that have not ended",
        METRICS.open_signings.clone(),
    );
    registry.register(
        "quota_used_ratio",
        "Highest share of its quota that any workspace uses",
        METRICS.fullest.clone(),
    );
    registry.register(
        "free_bytes",
        "Bytes that are free on the file system of the documents, or of the records or data keys where that has fewer",
        METRICS.free_bytes.clone(),
    );
}
