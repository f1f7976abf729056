//! Metrics and logs of authentications for operators: one log line and one
//! measurement for each that has ended, without personal data.

use std::sync::LazyLock;
use std::time::Duration;

use jiff::Timestamp;
use parafa_domain::AuthenticationMethod;
use parafa_eid::{EidError, EidProvider};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use uuid::Uuid;

use crate::api::views;
use crate::error::AuthError;
use crate::records::RequestRow;

/// Label for a missing reason.
const NO_REASON: &str = "none";
/// Upper bounds of the buckets, in seconds: the last is the usual lifetime of a
/// request.
const SECONDS: [f64; 9] = [1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0];

/// Metrics of this process.
static DURATIONS: LazyLock<Family<EndLabels, Histogram>> =
    LazyLock::new(|| Family::new_with_constructor(histogram as fn() -> Histogram));

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct EndLabels {
    method: &'static str,
    outcome: &'static str,
    reason: &'static str,
}

fn histogram() -> Histogram {
    Histogram::new(SECONDS)
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register_with_unit(
        "authentication_duration",
        "Time from the creation of an authentication to its end, by method, outcome and reason",
        Unit::Seconds,
        DURATIONS.clone(),
    );
}

/// An ended authentication.
pub(crate) struct Ended {
    id: Uuid,
    labels: EndLabels,
    took: Duration,
}

impl Ended {
    /// Creates one from this row, which ended `at`.
    pub(crate) fn of(row: &RequestRow, at: Timestamp) -> Self {
        let took = at.duration_since(row.created_at);
        Self {
            id: row.id,
            labels: EndLabels {
                method: row.state.method().name(),
                outcome: views::status(row.state.status(at)).as_str(),
                reason: row
                    .state
                    .failure()
                    .map_or(NO_REASON, |failure| failure.code()),
            },
            took: took.try_into().unwrap_or_default(),
        }
    }

    /// Logs and counts it. Call once it is stored.
    pub(crate) fn tell(self) {
        let EndLabels {
            method,
            outcome,
            reason,
        } = self.labels;
        tracing::info!(
            authentication.id = %self.id,
            authentication.method = method,
            authentication.outcome = outcome,
            authentication.reason = reason,
            authentication.milliseconds = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "authentication ended"
        );
        DURATIONS
            .get_or_create(&self.labels)
            .observe(self.took.as_secs_f64());
    }
}

/// Logs why a certificate was refused; internal errors are logged elsewhere.
pub(crate) fn certificate_refused(request: Uuid, error: &AuthError) {
    if error.refuses_certificate() {
        tracing::info!(
            authentication.id = %request,
            error = error as &dyn std::error::Error,
            "a certificate is refused"
        );
    }
}

/// Logs that a provider's service failed.
pub(crate) fn service_failed(
    request: Uuid,
    method: AuthenticationMethod,
    provider: &dyn EidProvider,
    error: &EidError,
) {
    tracing::warn!(
        authentication.id = %request,
        provider = method.name(),
        host = provider.host(),
        status = error.status,
        remedy = error.remedy(),
        error = error as &dyn std::error::Error,
        "a provider does not authenticate"
    );
}
