use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::METRICS;

/// What left for the world outside, or did not.
#[derive(Debug)]
pub(super) struct DeliveryMetrics {
    webhooks: Family<OutcomeLabels, Counter>,
    mails: Family<OutcomeLabels, Counter>,
    waiting: Gauge,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// Counts an attempt to tell a webhook.
pub(crate) fn delivery_attempted(outcome: &'static str) {
    count(&METRICS.deliveries.webhooks, outcome);
}

/// Counts an attempt to send a letter.
pub(crate) fn mail_attempted(outcome: &'static str) {
    count(&METRICS.deliveries.mails, outcome);
}

impl DeliveryMetrics {
    /// Says how many deliveries wait in line.
    pub(super) fn set_waiting(&self, waiting: usize) {
        self.waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
    }

    pub(super) fn register(registry: &mut Registry) -> Self {
        let (webhooks, mails) = (Family::default(), Family::default());
        registry.register(
            "webhook_attempts",
            "Attempts to tell a webhook, by outcome",
            webhooks.clone(),
        );
        registry.register(
            "mail_attempts",
            "Attempts to send a letter, by outcome",
            mails.clone(),
        );
        let waiting = Gauge::default();
        registry.register(
            "webhook_waiting",
            "Deliveries that are due and wait for others of their workspace to their receiver",
            waiting.clone(),
        );
        Self {
            webhooks,
            mails,
            waiting,
        }
    }
}

fn count(family: &Family<OutcomeLabels, Counter>, outcome: &'static str) {
    family.get_or_create(&OutcomeLabels { outcome }).inc();
}
