//! Operator's listener: status page, health and metrics.

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

/// Time limit for looking up the values at `/metrics`.
const LOOK_UP: Duration = Duration::from_secs(1);
/// Seconds after which the browser reloads the page.
const REFRESHED_AFTER: &str = "60";

/// Returns the routes. `/healthz` answers while the process runs. `/readyz`
/// says whether it can work, with a line for each warning. `/metrics` has its
/// counters. `/` is the status page for people.
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

/// State of the listener.
#[derive(Clone)]
struct RunningServer {
    app: Arc<App>,
    /// True if the server was started to go on with the remains of its store;
    /// the same command line would do so again at the next start.
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

/// Returns the warnings of a server that can work; otherwise the name of an
/// unavailable dependency.
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

/// Returns the metrics without waiting for unavailable dependencies: a client
/// whose request times out would take the host for down. Values that are late
/// keep their last state.
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
