//! The operator's listener: health and metrics.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use parafa_platform::sweep::SweepRow;
use parafa_signing::metrics::look_at_quotas;

use crate::app::App;
use crate::metrics::scrape;

/// `/healthz` tells that the process runs, `/readyz` that it can work, with a
/// line for what an operator should look at all the same, and `/metrics` what it
/// has done.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(app)
}

async fn ready(State(app): State<Arc<App>>) -> (StatusCode, String) {
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
            let warning = row.and_then(|row| row.warning());
            let warning = warning.map(|warning| format!("warning: {warning}\n"));
            (
                StatusCode::OK,
                format!("ok\n{}", warning.unwrap_or_default()),
            )
        }
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("store: {error}\n")),
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    look_at_quotas(&app.intake).await;
    scrape(&app.records.store, app.webhooks.waiting()).await
}
