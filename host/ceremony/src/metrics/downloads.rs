//! Metrics of downloads.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Metrics of this process.
static METRICS: LazyLock<DownloadMetrics> = LazyLock::new(DownloadMetrics::default);

#[derive(Debug, Default)]
struct DownloadMetrics {
    under_way: Gauge,
    broken_off: Family<ReasonLabels, Counter>,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ReasonLabels {
    reason: &'static str,
}

/// Counts a download that has a permit.
pub(crate) fn download_began() {
    METRICS.under_way.inc();
}

/// Counts the end of a download's permit.
pub(crate) fn download_ended() {
    METRICS.under_way.dec();
}

/// Counts a download broken off by this side.
pub(crate) fn download_broken_off(reason: &'static str) {
    let labels = ReasonLabels { reason };
    METRICS.broken_off.get_or_create(&labels).inc();
}

/// Registers the metrics.
pub(super) fn register(registry: &mut Registry) {
    registry.register(
        "downloads_under_way",
        "Documents that are being sent",
        METRICS.under_way.clone(),
    );
    registry.register(
        "downloads_broken_off",
        "Downloads of documents that were cut off, by reason",
        METRICS.broken_off.clone(),
    );
}
