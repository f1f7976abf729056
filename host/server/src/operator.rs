//! The operator's listener: health and metrics.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::{HeaderMap, StatusCode};
use parafa_ceremony::metrics::look_at_quotas;
use parafa_ceremony::quota::DiskRoom;
use parafa_platform::sweep::SweepRow;
use parafa_store::{EngineError, StoreError};

use crate::app::App;
use crate::metrics::scrape;

/// For how long one thing is waited for that readiness is made of.
const ANSWER: Duration = Duration::from_secs(3);
/// 1 000 000 bytes.
const MEGABYTE: u64 = 1_000_000;
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
    match readiness(&server).await {
        Ok(warnings) => {
            let warnings: String = warnings
                .map(|warning| format!("warning: {warning}\n"))
                .collect();
            (StatusCode::OK, format!("ok\n{warnings}"))
        }
        Err(away) => (StatusCode::SERVICE_UNAVAILABLE, format!("{away}\n")),
    }
}

/// What an operator should look at although the server can work; else what is not
/// to be had, by name. It asks for each thing anew, so that what was away is seen
/// to be back although nobody needed it meanwhile.
async fn readiness(server: &RunningServer) -> Result<impl Iterator<Item = String>, String> {
    let app = &server.app;
    match app.records.store.health() {
        Ok(()) | Err(StoreError::Engine(EngineError::Unavailable { .. })) => {}
        Err(error) => return Err(format!("store: {error}")),
    }
    let broken = app.plugin_store.broken().await;
    let broken = broken.map(|findings| findings.faults).unwrap_or_default();
    if app.plugins.active().is_empty() {
        let why = broken.iter().map(|fault| format!("; {fault}"));
        return Err(format!(
            "plugins: none is active{}",
            why.collect::<String>()
        ));
    }
    let (row, keys, objects) = tokio::join!(
        in_time(app.records.store.get::<SweepRow>(&())),
        in_time(app.records.keys.check()),
        in_time(app.records.files.check()),
    );
    let named = match app.records.store.is_shared() {
        true => "database",
        false => "store",
    };
    let row = row.map_err(|away| format!("{named}: {away}"))?;
    keys.map_err(|away| format!("keys: {away}"))?;
    objects.map_err(|away| format!("objects: {away}"))?;
    let nearly_full = match app.signing.intake.uploads.disk_room().await {
        DiskRoom::Enough => None,
        DiskRoom::Reserve { free, reserve } => Some(format!(
            "the disk has {} MB free, fewer than limits.free_megabytes, {}: documents are answered 503",
            free / MEGABYTE,
            reserve / MEGABYTE
        )),
        DiskRoom::Full { free } => {
            return Err(format!("disk: full, with {free} bytes free"));
        }
    };
    let sweep = row.and_then(|row| row.warning());
    let loss = server.accepts_loss.then(|| ACCEPTS_LOSS.to_owned());
    let broken = broken
        .into_iter()
        .map(|fault| format!("on this host {fault}"));
    Ok(sweep
        .into_iter()
        .chain(loss)
        .chain(nearly_full)
        .chain(broken))
}

/// What is answered before whoever asks for readiness has gone.
async fn in_time<T, E>(answer: impl Future<Output = Result<T, E>>) -> Result<T, String>
where
    E: Error + Send + Sync + 'static,
{
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(answer) => answer.map_err(|error| format!("{:#}", anyhow::Error::new(error))),
        Err(_) => Err(format!("no answer within {} seconds", ANSWER.as_secs())),
    }
}

async fn metrics(State(server): State<RunningServer>, headers: HeaderMap) -> Response {
    let app = server.app;
    look_at_quotas(&app.signing.intake.uploads).await;
    scrape(&app.records.store, app.webhooks.waiting(), &headers).await
}
