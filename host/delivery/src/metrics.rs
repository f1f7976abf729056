//! Metrics of deliveries.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The numbers of this process.
static METRICS: LazyLock<DeliveryMetrics> = LazyLock::new(DeliveryMetrics::default);

/// Outcomes of outbound notices.
#[derive(Debug, Default)]
struct DeliveryMetrics {
    webhooks: Family<OutcomeLabels, Counter>,
    mails: Family<OutcomeLabels, Counter>,
    waiting: Gauge,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register(
        "webhook_attempts",
        "Attempts to deliver an event to a webhook, by outcome",
        METRICS.webhooks.clone(),
    );
    registry.register(
        "mail_attempts",
        "Attempts to send an email, by outcome",
        METRICS.mails.clone(),
    );
    registry.register(
        "webhook_waiting",
        "Deliveries that are due and queued behind others of their workspace to the same receiver",
        METRICS.waiting.clone(),
    );
}

/// Sets the number of deliveries waiting in line.
pub fn set_waiting(waiting: usize) {
    METRICS
        .waiting
        .set(i64::try_from(waiting).unwrap_or(i64::MAX));
}

/// Counts an attempt to deliver to a webhook.
pub(crate) fn delivery_attempted(outcome: &'static str) {
    count(&METRICS.webhooks, outcome);
}

/// Counts an attempt to send a letter.
pub(crate) fn mail_attempted(outcome: &'static str) {
    count(&METRICS.mails, outcome);
}

fn count(family: &Family<OutcomeLabels, Counter>, outcome: &'static str) {
    family.get_or_create(&OutcomeLabels { outcome }).inc();
}
