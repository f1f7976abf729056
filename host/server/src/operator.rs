//! The operator's listener: a page, health and metrics.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::header::REFRESH;
use http::{HeaderMap, HeaderValue, StatusCode};
use parafa_api_http::pages::{asset_routes, page_response};
use parafa_ceremony::metrics::look_at_quotas;

use crate::app::App;
use crate::health::Health;
use crate::metrics::{look_up, scrape};
use crate::status;

/// For how long what is told at `/metrics` is looked up.
const LOOK_UP: Duration = Duration::from_secs(1);
/// Seconds after which the page is fetched anew.
const REFRESHED_AFTER: &str = "60";

/// `/healthz` tells that the process runs, `/readyz` that it can work, with a
/// line for what an operator should look at all the same, and `/metrics` what it
/// has done. `/` is for people.
pub(crate) fn router(app: Arc<App>, accepts_loss: bool) -> Router {
    let server = RunningServer { app, accepts_loss };
    Router::new()
        .route("/", get(status_page))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .merge(asset_routes())
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

impl RunningServer {
    async fn health(&self) -> Health {
        Health::of(&self.app, self.accepts_loss).await
    }
}

async fn status_page(State(server): State<RunningServer>) -> Response {
    let health = server.health().await;
    let page = status::page(&server.app, &health).await;
    let mut answer = page_response(StatusCode::OK, page.render());
    let refreshed = HeaderValue::from_static(REFRESHED_AFTER);
    answer.headers_mut().insert(REFRESH, refreshed);
    answer
}

/// What an operator should look at although the server can work; else what is not
/// to be had, by name.
async fn ready(State(server): State<RunningServer>) -> (StatusCode, String) {
    let health = server.health().await;
    match health.away() {
        None => {
            let warnings = health.warnings.iter();
            let warnings: String = warnings
                .map(|warning| format!("warning: {warning}\n"))
                .collect();
            (StatusCode::OK, format!("ok\n{warnings}"))
        }
        Some(away) => (StatusCode::SERVICE_UNAVAILABLE, format!("{away}\n")),
    }
}

/// Does not wait for what is away: whoever fetches this would take the host for gone.
/// Numbers that are not had in time are told as they were.
async fn metrics(State(server): State<RunningServer>, headers: HeaderMap) -> Response {
    let app = server.app;
    let (store, waiting) = (&app.records.store, app.webhooks.waiting());
    let looks = async {
        tokio::join!(
            look_at_quotas(&app.signing.intake.uploads),
            look_up(store, waiting),
        )
    };
    let _ = tokio::time::timeout(LOOK_UP, looks).await;
    scrape(store, waiting, &headers)
}
