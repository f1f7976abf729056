use axum::{
    Json, Router,
    extract::{Query, State},
    routing::get,
};
use serde::Deserialize;

use super::WaitMs;
use crate::{
    journal::{Entry, Journal},
    shutdown::Shutdown,
};

/// `GET /control/journal`: entries after a number.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct After {
    #[serde(default)]
    after: u64,
    #[serde(default)]
    wait_ms: WaitMs,
}

/// `GET /journal`.
pub(super) fn router(journal: Journal, shutdown: Shutdown) -> Router {
    Router::new()
        .route("/journal", get(read))
        .with_state((journal, shutdown))
}

async fn read(
    State((journal, shutdown)): State<(Journal, Shutdown)>,
    Query(query): Query<After>,
) -> Json<Vec<Entry>> {
    tokio::select! {
        biased;
        entries = journal.after(query.after) => Json(entries),
        () = tokio::time::sleep(query.wait_ms.duration()) => Json(Vec::new()),
        () = shutdown.begun() => Json(Vec::new()),
    }
}
