//! Calls of plugins and how they failed.

use std::sync::Arc;

use parafa_plugin_host::{CallObserver, EndedCall, Fault};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use super::METRICS;

#[derive(Debug)]
pub(super) struct PluginMetrics {
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

/// Counts what becomes of calls.
#[derive(Debug)]
struct Counting;

/// An observer that counts for the operator.
pub(crate) fn plugin_observer() -> Arc<dyn CallObserver> {
    Arc::new(Counting)
}

impl CallObserver for Counting {
    fn ended(&self, call: &EndedCall<'_>) {
        let metrics = &METRICS.plugins;
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
        METRICS.plugins.faults.get_or_create(&labels).inc();
    }
}

impl PluginMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let calls = Family::default();
        registry.register(
            "plugin_calls",
            "Calls of plugins that have ended, by outcome: ok, refusal or the kind of fault",
            calls.clone(),
        );
        let durations = Family::new_with_constructor(histogram as fn() -> Histogram);
        registry.register_with_unit(
            "plugin_call_duration",
            "Time that calls of plugins took, without the wait for a free slot",
            Unit::Seconds,
            durations.clone(),
        );
        let waits = Family::new_with_constructor(histogram as fn() -> Histogram);
        registry.register_with_unit(
            "plugin_wait",
            "Time that calls of plugins waited for a free slot, by their urgency",
            Unit::Seconds,
            waits.clone(),
        );
        let faults = Family::default();
        registry.register(
            "plugin_faults",
            "Faults of plugins, in calls or found of their answers afterwards, by digest and kind",
            faults.clone(),
        );
        Self {
            calls,
            durations,
            waits,
            faults,
        }
    }
}

/// From 100 µs to 26 s.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 4.0, 10))
}
