//! The operator's listener: health and metrics.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::{HeaderMap, StatusCode};
use parafa_ceremony::metrics::look_at_quotas;
use parafa_platform::sweep::SweepRow;

use crate::app::App;
use crate::metrics::scrape;

const ACCEPTS_LOSS: &str = "the server was started with --accept-loss: leave that out at the next \
                            start, or what is lost by then is accepted without a question";

/// `/healthz` tells that the process runs, `/readyz` that it can work, with a
/// line for what an operator should look at all the same, and `/metrics` what it
/// has done.
pub(crate) fn router(app: Arc<App>, accepts_loss: bool) -> Router {
    let server = RunningServer { app, accepts_loss };
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(server)
}

/// What the listener tells of.
#[derive(Clone)]
struct RunningServer {
    app: Arc<App>,
    /// It was started to go on with whatever is left of its store: as it would
    /// be the next time, by the same command line.
    accepts_loss: bool,
}

async fn ready(State(server): State<RunningServer>) -> (StatusCode, String) {
    let RunningServer { app, accepts_loss } = server;
    if let Err(error) = app.records.store.health() {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("store: {error}\n"));
    }
    if app.plugins.active().is_empty() {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "plugins: none is active\n".to_owned(),
        );
    }
    if let Err(error) = app.records.keys.check().await {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("keys: {error}\n"));
    }
    match app.records.store.get::<SweepRow>(&()).await {
        Ok(row) => {
            let sweep = row.and_then(|row| row.warning());
            let loss = accepts_loss.then(|| ACCEPTS_LOSS.to_owned());
            let warnings = sweep.into_iter().chain(loss);
            let warnings: String = warnings
                .map(|warning| format!("warning: {warning}\n"))
                .collect();
            (StatusCode::OK, format!("ok\n{warnings}"))
        }
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("store: {error}\n")),
    }
}

async fn metrics(State(server): State<RunningServer>, headers: HeaderMap) -> Response {
    let app = server.app;
    look_at_quotas(&app.intake.uploads).await;
    scrape(&app.records.store, app.webhooks.waiting(), &headers).await
}
