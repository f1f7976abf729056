//! A provider that does not wait for the signer when it is asked to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use serde_json::json;
use tokio::net::TcpListener;
use url::Url;
use uuid::Uuid;

use crate::tests::support::{SIGN, Site, Stage, TICK};

/// Answers at once that nobody has acted yet, or that it is asked too often.
#[derive(Clone, Default)]
struct Hasty {
    polls: Arc<AtomicU32>,
    refuses: Arc<AtomicBool>,
}

impl Hasty {
    /// Serves until the test ends; gives its address.
    async fn serve(&self) -> Url {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/v3/session/{id}", get(poll))
            .fallback(post(begin))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Url::parse(&format!("http://{address}/")).unwrap()
    }

    fn polls(&self) -> u32 {
        self.polls.load(Ordering::Relaxed)
    }

    fn refuse(&self, refuses: bool) {
        self.refuses.store(refuses, Ordering::Relaxed);
    }
}

async fn begin() -> Response {
    axum::Json(json!({"sessionID": Uuid::now_v7()})).into_response()
}

async fn poll(State(hasty): State<Hasty>) -> Response {
    hasty.polls.fetch_add(1, Ordering::Relaxed);
    if hasty.refuses.load(Ordering::Relaxed) {
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    }
    axum::Json(json!({"state": "RUNNING"})).into_response()
}

#[tokio::test]
async fn a_provider_that_answers_at_once_is_asked_once_a_second() {
    let provider = Hasty::default();
    let site = site_that_asks(&provider).await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();

    stage.host.run_all().await;
    assert_eq!(provider.polls(), 1);
    for second in 1..=5 {
        site.pass(TICK);
        stage.host.run_all().await;
        assert_eq!(provider.polls(), 1 + second);
    }
}

#[tokio::test]
async fn a_provider_that_refuses_polls_in_between_is_asked_less_often_and_not_given_up() {
    let provider = Hasty::default();
    let site = site_that_asks(&provider).await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.host.run_all().await;
    let mut pauses = Vec::new();
    for _ in 0..8 {
        provider.refuse(true);
        asked_after(&stage, &provider).await;
        provider.refuse(false);
        pauses.push(asked_after(&stage, &provider).await);
    }

    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
    assert!(!stage.newest_attempt().await.phase.is_terminal());
}

/// A site whose Smart-ID is this provider.
async fn site_that_asks(provider: &Hasty) -> Site {
    let mut site = Site::start().await;
    site.config.smart_id.as_mut().unwrap().base_url = provider.serve().await;
    site
}

/// After how many seconds the provider is asked again.
async fn asked_after(stage: &Stage<'_>, provider: &Hasty) -> u32 {
    let before = provider.polls();
    for seconds in 1..120 {
        stage.site.pass(TICK);
        stage.host.run_all().await;
        if provider.polls() > before {
            return seconds;
        }
    }
    panic!("the provider is not asked any more");
}
