//! Text for monitoring, including values looked up for it.

use std::sync::atomic::Ordering;

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, CONTENT_TYPE, VARY};
use http::{HeaderMap, StatusCode};
use parafa_platform::jobs::LaneBudget;
use parafa_platform::outbox::DELIVERIES;
use parafa_platform::sweep::SweepRow;
use parafa_store::{BYTE_FILE_READS, SYNCS, Store, StoreError};
use parafa_trust::{CERTIFICATES_READ, TIMESTAMPS_FAILED, TIMESTAMPS_RECEIVED, VERIFICATIONS};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::format::Format;
use super::{LaneLabels, METRICS, OwnerlessLabels};
use crate::lanes::LANES;

/// Reads a count since the start.
type Tally = fn(&Store) -> u64;

/// Counts kept elsewhere in the program, each with its name and meaning.
const TALLIES: [(&str, &str, Tally); 8] = [
    (
        "certificates_read",
        "Certificates that were parsed; cached ones do not count",
        |_| CERTIFICATES_READ.load(Ordering::Relaxed),
    ),
    (
        "document_reads",
        "Reads of documents that were started, of whole documents or of ranges",
        |_| BYTE_FILE_READS.load(Ordering::Relaxed),
    ),
    (
        "signature_verifications",
        "Verifications of signature values, whatever their result",
        |_| VERIFICATIONS.load(Ordering::Relaxed),
    ),
    (
        "store_commits",
        "Transactions that were committed",
        |store| store.transaction_counts().commits,
    ),
    (
        "store_conflicts",
        "Transactions that conflicted with another one and were retried",
        |store| store.transaction_counts().conflicts,
    ),
    (
        "store_syncs",
        "Syncs of records, files and folders to disk",
        |_| SYNCS.load(Ordering::Relaxed),
    ),
    (
        "timestamps_failed",
        "Requests for a time-stamp that no authority answered with a valid one",
        |_| TIMESTAMPS_FAILED.load(Ordering::Relaxed),
    ),
    (
        "timestamps_received",
        "Valid time-stamps that authorities have given",
        |_| TIMESTAMPS_RECEIVED.load(Ordering::Relaxed),
    ),
];

/// Counters for [`TALLIES`].
pub(super) type Tallies = [Counter; TALLIES.len()];

/// Returns all metrics, in the requested format.
pub(crate) fn scrape(store: &Store, waiting_deliveries: usize, asked: &HeaderMap) -> Response {
    parafa_delivery::metrics::set_waiting(waiting_deliveries);
    for (counter, (_, _, counted)) in METRICS.tallies.iter().zip(TALLIES) {
        let counter = counter.inner();
        counter.fetch_max(counted(store), Ordering::Relaxed);
    }
    match text() {
        Ok(text) => {
            let format = Format::asked_for(asked);
            let headers = [(CONTENT_TYPE, format.media_type()), (VARY, ACCEPT.as_str())];
            (headers, format.of_open_metrics(text)).into_response()
        }
        Err(std::fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Returns all metrics, as OpenMetrics.
pub(crate) fn text() -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    encode(&mut text, &METRICS.registry)?;
    Ok(text)
}

/// Updates the metrics for [`scrape`] from the store: jobs, and content that no
/// row names. Values that cannot be looked up stay as they are.
pub(crate) async fn look_up(store: &Store, waiting_deliveries: usize) {
    match due_jobs(store, waiting_deliveries).await {
        Ok(lanes) => {
            for (lane, due) in lanes {
                let due = i64::try_from(due).unwrap_or(i64::MAX);
                METRICS
                    .jobs_due
                    .get_or_create(&LaneLabels { lane })
                    .set(due);
            }
        }
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the job queues cannot be counted"
        ),
    }
    match store.get::<SweepRow>(&()).await {
        Ok(row) => note_sweep(row.unwrap_or_default()),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "unreferenced content cannot be counted"
        ),
    }
    match store.key_rotation().await {
        Ok(rotation) => {
            let pending = rotation.map_or(0, |rotation| rotation.pending());
            let pending = i64::try_from(pending).unwrap_or(i64::MAX);
            METRICS.master_key_pending.set(pending);
        }
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the data keys of replaced master keys cannot be counted"
        ),
    }
}

/// Counts the due jobs of each lane. `waiting_deliveries` are due deliveries
/// queued behind their receiver, which this host cannot send sooner.
///
/// # Errors
/// When the store fails.
pub(crate) async fn due_jobs(
    store: &Store,
    waiting_deliveries: usize,
) -> Result<Vec<(&'static str, usize)>, StoreError> {
    let mut lanes = Vec::new();
    for LaneBudget { lane, .. } in LANES {
        let waiting = if lane == DELIVERIES {
            waiting_deliveries
        } else {
            0
        };
        let due = store.due_jobs(lane).await?;
        lanes.push((lane.name(), due.saturating_sub(waiting)));
    }
    Ok(lanes)
}

/// Sets the results of the last sweep, by any host.
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

pub(super) fn register_tallies(registry: &mut Registry) -> Tallies {
    TALLIES.map(|(name, what, _)| {
        let counter = Counter::default();
        registry.register(name, what, counter.clone());
        counter
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::to_bytes;
    use jiff::Timestamp;
    use parafa_store::jobs::{self, Lane, NewJob};
    use parafa_store::{ManualClock, MasterKey, MemoryEngine, StoreMode};

    use super::*;

    async fn store() -> Store {
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let engine = Arc::new(MemoryEngine::new(clock));
        let master = MasterKey::from_bytes([7; 32]);
        Store::open(engine, &master, StoreMode::Demo).await.unwrap()
    }

    async fn enqueue(store: &Store, lane: Lane) {
        let enqueued = store.transact(|tx| {
            Box::pin(async move {
                let job = NewJob {
                    lane,
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

    /// Returns the metrics of every lane and of waiting deliveries.
    async fn told(store: &Store, waiting: usize) -> Vec<String> {
        look_up(store, waiting).await;
        let answer = scrape(store, waiting, &HeaderMap::new());
        let text = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        let names = ["parafa_jobs_due{", "parafa_webhook_waiting "];
        let lines = text.lines();
        let told = lines.filter(|line| names.iter().any(|name| line.starts_with(name)));
        told.map(str::to_owned).collect()
    }

    /// Both read counters shared by the whole process, and so are one test.
    #[tokio::test]
    async fn the_jobs_that_are_due_are_counted_in_every_lane_but_those_that_wait_for_their_turn() {
        let store = store().await;
        for budget in LANES {
            enqueue(&store, budget.lane).await;
        }

        let series = told(&store, 0).await;

        for lane in ["attempts", "timers", "deliveries", "letters"] {
            let due = format!("parafa_jobs_due{{lane=\"{lane}\"}} 1");
            assert!(series.contains(&due), "{lane}: {series:?}");
        }
        assert_eq!(series.len(), LANES.len() + 1, "{series:?}");

        for _ in 0..2000 {
            enqueue(&store, DELIVERIES).await;
        }
        let series = told(&store, 1999).await;
        let due = "parafa_jobs_due{lane=\"deliveries\"} 2".to_owned();
        let waiting = "parafa_webhook_waiting 1999".to_owned();
        assert!(
            series.contains(&due) && series.contains(&waiting),
            "{series:?}"
        );
    }
}
