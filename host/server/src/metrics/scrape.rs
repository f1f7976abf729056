//! The text that monitoring fetches, with what is looked up for it.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use parafa_store::{Store, TransactionCounts};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::{LaneLabels, METRICS};
use crate::workflow::lanes;

/// OpenMetrics 1.0, which is Prometheus text with a type for every name.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug)]
pub(super) struct StoreMetrics {
    commits: Counter,
    conflicts: Counter,
}

/// Everything that is counted. What cannot be looked up keeps its last value.
pub(crate) async fn scrape(store: &Store) -> Response {
    for lane in [lanes::ATTEMPTS, lanes::TIMERS] {
        match store.due_jobs(lane).await {
            Ok(due) => {
                let due = i64::try_from(due).unwrap_or(i64::MAX);
                let gauge = LaneLabels { lane: lane.name() };
                METRICS.jobs_due.get_or_create(&gauge).set(due);
            }
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the job queue cannot be counted"
            ),
        }
    }
    METRICS.store.take(store.transaction_counts());
    let mut text = String::new();
    match encode(&mut text, &METRICS.registry) {
        Ok(()) => ([(CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(std::fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl StoreMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let commits = Counter::default();
        registry.register(
            "store_commits",
            "Transactions that were committed",
            commits.clone(),
        );
        let conflicts = Counter::default();
        registry.register(
            "store_conflicts",
            "Transactions that met another one and began anew",
            conflicts.clone(),
        );
        Self { commits, conflicts }
    }

    /// Brings the counters up to what the store counts itself.
    fn take(&self, counts: TransactionCounts) {
        let raise = |counter: &Counter, to: u64| {
            counter
                .inner()
                .fetch_max(to, std::sync::atomic::Ordering::Relaxed);
        };
        raise(&self.commits, counts.commits);
        raise(&self.conflicts, counts.conflicts);
    }
}
