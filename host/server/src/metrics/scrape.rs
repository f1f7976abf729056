//! The text that monitoring fetches, with what is looked up for it.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use parafa_store::{Store, TransactionCounts};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::{LaneLabels, METRICS, OwnerlessLabels};
use crate::records::SweepRow;
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
    for lane in lanes::BUDGETS.map(|budget| budget.lane) {
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
    match store.get::<SweepRow>(&()).await {
        Ok(row) => note_sweep(row.unwrap_or_default()),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "what no row names cannot be counted"
        ),
    }
    METRICS.store.take(store.transaction_counts());
    let mut text = String::new();
    match encode(&mut text, &METRICS.registry) {
        Ok(()) => ([(CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(std::fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// What the last sweep left, whichever host did it.
fn note_sweep(left: SweepRow) {
    for (state, contents) in [("held", left.held), ("quarantined", left.quarantined)] {
        for (kind, number) in [
            ("document", contents.documents),
            ("data-key", contents.keys),
        ] {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            let gauge = OwnerlessLabels { kind, state };
            METRICS.ownerless.get_or_create(&gauge).set(number);
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::to_bytes;
    use jiff::Timestamp;
    use parafa_store::jobs::{self, NewJob};
    use parafa_store::{ManualClock, MasterKey, MemoryEngine, StoreMode};

    use super::*;

    #[tokio::test]
    async fn the_jobs_that_are_due_are_counted_in_every_lane() {
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let engine = Arc::new(MemoryEngine::new(clock));
        let master = MasterKey::from_bytes([7; 32]);
        let store = Store::open(engine, &master, StoreMode::Demo).await.unwrap();
        for budget in lanes::BUDGETS {
            let enqueued = store.transact(|tx| {
                Box::pin(async move {
                    let job = NewJob {
                        lane: budget.lane,
                        kind: "test".to_owned(),
                        due: tx.now(),
                        payload: serde_json::Value::Null,
                        unique: None,
                    };
                    jobs::enqueue(tx, job).await
                })
            });
            enqueued.await.unwrap();
        }

        let answer = scrape(&store).await;

        let text = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        let series: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("parafa_jobs_due{"))
            .collect();
        for lane in ["attempts", "timers", "deliveries", "letters"] {
            let due = format!("parafa_jobs_due{{lane=\"{lane}\"}} 1");
            assert!(series.contains(&due.as_str()), "{lane}: {series:?}");
        }
        assert_eq!(series.len(), lanes::BUDGETS.len(), "{series:?}");
    }
}
