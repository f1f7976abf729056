//! Metrics of spans sent and lost.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// The numbers of this process.
static SPANS: LazyLock<Family<SpanLabels, Counter>> = LazyLock::new(Family::default);

/// Outcome of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpanEnd {
    /// The collector took them.
    Sent,
    /// The queue to the collector was full.
    Dropped,
    /// The collector did not accept them.
    Failed,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct SpanLabels {
    outcome: &'static str,
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register(
        "trace_spans",
        "Ended spans of traces, by outcome",
        SPANS.clone(),
    );
}

/// Counts spans by outcome.
pub(crate) fn spans_ended(end: SpanEnd, count: usize) {
    let outcome = match end {
        SpanEnd::Sent => "sent",
        SpanEnd::Dropped => "dropped",
        SpanEnd::Failed => "failed",
    };
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    SPANS.get_or_create(&SpanLabels { outcome }).inc_by(count);
}

/// Number of spans dropped.
#[cfg(test)]
pub(crate) fn dropped() -> u64 {
    let labels = SpanLabels { outcome: "dropped" };
    SPANS.get_or_create(&labels).get()
}
