//! Links to the signer's app: codes to scan that say how long they have been
//! open, and the app's return.

use std::collections::HashSet;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Request, StatusCode};
use jiff::SignedDuration;
use parafa_ceremony::attempt::ATTEMPTS;
use parafa_domain::Phase;
use parafa_platform::jobs::LEASE;
use parafa_store::ManualClock;
use parafa_store::faulty::FaultPlan;
use serde_json::json;
use tokio::net::TcpListener;
use tower::ServiceExt;
use url::Url;
use uuid::Uuid;

use crate::tests::support::{Posted, Site, Stage, TICK};

const HALF_AN_HOUR: SignedDuration = SignedDuration::from_mins(30);
/// How long a code was open before something happens.
const OPEN: SignedDuration = SignedDuration::from_secs(20);
/// Longest picture of a code, in bytes.
const LONGEST_PICTURE: usize = 1024 * 1024;

/// How long the link has been open, as the code to scan says, in seconds.
async fn elapsed(stage: &Stage<'_>) -> u64 {
    let link = stage.shown_link().await.qr;
    let url = Url::parse(&link).unwrap();
    let mut parameters = url.query_pairs();
    let elapsed = parameters.find(|(name, _)| name == "elapsedSeconds");
    elapsed.unwrap().1.parse().unwrap()
}

/// The code to scan as the page shows it.
async fn picture(stage: &Stage<'_>) -> Bytes {
    let link = stage.host.link(stage.signer);
    let request = Request::get(format!("/c/{link}/attempts/current/qr.svg"));
    let request = request.body(Body::empty()).unwrap();
    let answer = stage.host.app.ceremony_router().oneshot(request);
    let answer = answer.await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    to_bytes(answer.into_body(), LONGEST_PICTURE).await.unwrap()
}

#[tokio::test]
async fn a_code_to_scan_is_another_one_each_second() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.open_link().await;
    site.pass(OPEN);

    let mut pictures = HashSet::new();
    for second in 20..25 {
        assert_eq!(elapsed(&stage).await, second);
        assert!(pictures.insert(picture(&stage).await), "{second}");
        site.pass(TICK);
    }
}

#[tokio::test]
async fn a_code_to_scan_goes_on_where_it_was_when_the_clock_is_set_back() {
    let mut site = Site::start().await;
    let provider = Lonely::new(site.clock.clone());
    site.config.smart_id.as_mut().unwrap().base_url = provider.serve().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.open_link().await;
    site.pass(OPEN);

    provider.set_clock_back(HALF_AN_HOUR);
    assert_eq!(stage.host.run_due().await, 1);

    // What the poll has taken counts as well.
    let first = elapsed(&stage).await;
    assert!((20..30).contains(&first), "{first}");
    for second in first..first + 5 {
        assert_eq!(elapsed(&stage).await, second);
        site.pass(TICK);
    }
    assert_eq!(stage.host.run_due().await, 1, "it is still waited for");
}

#[tokio::test]
async fn a_code_to_scan_does_not_stand_still_after_the_clock_was_set_back_while_nobody_waited() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.open_link().await;
    site.pass(OPEN);

    site.pass(-HALF_AN_HOUR);
    stage.host.runner.follow_clock_back().await.unwrap();
    stage.host.run_due().await;

    for second in 0..5 {
        assert_eq!(elapsed(&stage).await, second);
        site.pass(TICK);
    }
}

#[tokio::test]
async fn a_return_is_heard_at_once_whatever_the_step_that_waits_for_it_is_doing() {
    let site = Site::start().await;
    let mut waits = 0;
    loop {
        let stage = Stage::set(&site, Posted::toy("honest")).await;
        stage.sign_on_this_device().await;
        let slow = FaultPlan {
            max_yields: 1,
            ..FaultPlan::default()
        };
        let host = stage.deployment.host(slow).await.unwrap();
        let claimed = host.app.records.store.claim_due(ATTEMPTS, 1, LEASE).await;
        let mut job = claimed.unwrap().pop().expect("it waits for the return");

        let mut step = pin!(host.runner.run_one(&mut job));
        let is_over = is_over_after(step.as_mut(), waits).await;
        stage.come_back().await;
        if !is_over {
            step.await;
        }

        stage.reach_at_once(Phase::Done).await;
        if is_over {
            break;
        }
        waits += 1;
    }
    assert!(waits > 5, "{waits}");
}

/// Does `work` until it has had to wait so many times; tells whether it is over.
async fn is_over_after(mut work: Pin<&mut impl Future>, waits: usize) -> bool {
    let mut left = waits;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        work.as_mut().poll(context).map(|_| true)
    })
    .await
}

/// A provider whose links nobody follows, and that says so at once.
#[derive(Clone)]
struct Lonely {
    clock: Arc<ManualClock>,
    /// By how much the clock is set back during the next poll.
    set_back: Arc<Mutex<SignedDuration>>,
}

impl Lonely {
    fn new(clock: Arc<ManualClock>) -> Self {
        Self {
            clock,
            set_back: Arc::default(),
        }
    }

    /// Serves until the test ends; gives its address.
    async fn serve(&self) -> Url {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/v3/session/{id}", get(poll))
            .fallback(post(open))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Url::parse(&format!("http://{address}/")).unwrap()
    }

    /// Has the clock be set back during the next poll.
    fn set_clock_back(&self, by: SignedDuration) {
        *self.set_back.lock().unwrap() = by;
    }
}

async fn open() -> Response {
    let answer = json!({
        "sessionID": Uuid::now_v7(),
        "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
        "sessionSecret": STANDARD.encode([7; 32]),
        "deviceLinkBase": "https://smart-id.com/device-link",
    });
    Json(answer).into_response()
}

async fn poll(State(provider): State<Lonely>) -> Response {
    let set_back = std::mem::take(&mut *provider.set_back.lock().unwrap());
    provider.clock.advance(-set_back);
    Json(json!({"state": "RUNNING"})).into_response()
}
