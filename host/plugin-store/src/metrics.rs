//! Metrics of plugins' calls and failures.

use std::sync::LazyLock;

use parafa_plugin_host::{CallObserver, EndedCall, Fault};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// The numbers of this process.
static METRICS: LazyLock<PluginMetrics> = LazyLock::new(PluginMetrics::new);

#[derive(Debug)]
struct PluginMetrics {
    calls: Family<CallLabels, Counter>,
    durations: Family<OperationLabels, Histogram>,
    waits: Family<UrgencyLabels, Histogram>,
    faults: Family<FaultLabels, Counter>,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct CallLabels {
    plugin: String,
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OperationLabels {
    plugin: String,
    operation: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct UrgencyLabels {
    urgency: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct FaultLabels {
    plugin: String,
    digest: String,
    operation: &'static str,
    kind: &'static str,
}

/// Counts the results of calls, for the operator's monitoring.
#[derive(Clone, Copy, Debug)]
pub struct Counted;

impl CallObserver for Counted {
    fn ended(&self, call: &EndedCall<'_>) {
        let metrics = &METRICS;
        let calls = CallLabels {
            plugin: call.plugin.to_owned(),
            operation: call.operation,
            outcome: call.end.name(),
        };
        metrics.calls.get_or_create(&calls).inc();
        let durations = OperationLabels {
            plugin: call.plugin.to_owned(),
            operation: call.operation,
        };
        let elapsed = call.elapsed.as_secs_f64();
        metrics.durations.get_or_create(&durations).observe(elapsed);
        let waits = UrgencyLabels {
            urgency: call.urgency.name(),
        };
        let waited = call.waited.as_secs_f64();
        metrics.waits.get_or_create(&waits).observe(waited);
    }

    fn failed(&self, operation: &'static str, fault: &Fault) {
        let labels = FaultLabels {
            plugin: fault.plugin.clone(),
            digest: fault.digest.to_string(),
            operation,
            kind: fault.kind.name(),
        };
        METRICS.faults.get_or_create(&labels).inc();
    }
}

impl PluginMetrics {
    fn new() -> Self {
        Self {
            calls: Family::default(),
            durations: Family::new_with_constructor(histogram as fn() -> Histogram),
            waits: Family::new_with_constructor(histogram as fn() -> Histogram),
            faults: Family::default(),
        }
    }
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register(
        "plugin_calls",
        "Calls of plugins that have ended, by outcome: ok, refusal or the kind of fault",
        METRICS.calls.clone(),
    );
    registry.register_with_unit(
        "plugin_call_duration",
        "Time that calls of plugins took, without the wait for a free slot",
        Unit::Seconds,
        METRICS.durations.clone(),
    );
    registry.register_with_unit(
        "plugin_wait",
        "Time that calls of plugins waited for a free slot, by urgency",
        Unit::Seconds,
        METRICS.waits.clone(),
    );
    registry.register(
        "plugin_faults",
        "Faults of plugins, in calls or found later in their answers, by digest and kind",
        METRICS.faults.clone(),
    );
}

/// Creates a histogram from 100 µs to 26 s.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 4.0, 10))
}
