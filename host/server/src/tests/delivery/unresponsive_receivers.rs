//! Unresponsive receivers and mail servers, and deliveries that must not wait
//! for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_platform::accounts::Caller;
use parafa_platform::billing::{BillingRow, Funding, PriceLadder};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::tests::support::{
    CALLER, Deployment, Host, Site, TICK, give_secret_to, name_workspace, party, signing_request,
    terms, writing_to,
};

/// Maximum wait of a delivery whose own receiver answers.
const PATIENCE: Duration = Duration::from_secs(10);
/// Another workspace than that of most tests.
const OTHERS: Uuid = Uuid::from_u128(77);
/// Concurrent deliveries of one workspace.
const OF_WORKSPACE: usize = 16;

#[tokio::test]
async fn hosts_that_hang_hold_up_no_other_workspace() {
    const HOSTS: usize = 40;
    const EVENTS: usize = 4;

    hold_up((0..HOSTS * EVENTS).map(|event| format!("https://slow-{}.example/", event % HOSTS)))
        .await;
}

#[tokio::test]
async fn ports_of_a_host_that_hang_hold_up_no_other_workspace() {
    const PORTS: usize = 150;

    hold_up((0..PORTS).map(|port| format!("https://slow.example:{}/", 1000 + port))).await;
}

#[tokio::test]
async fn a_host_that_hangs_for_one_workspace_answers_another_at_once() {
    const EVENTS: usize = 150;
    const AT_ONCE: usize = 4;

    let slow = std::iter::repeat_n("https://slow.example/".to_owned(), EVENTS);
    let hanging = hold_up_before(slow, "https://slow.example/quick").await;
    assert!(hanging <= AT_ONCE, "{hanging}");
}

async fn hold_up(slow: impl Iterator<Item = String>) {
    hold_up_before(slow, "https://quick.example/").await;
}

/// Queues events of one workspace for these receivers, then an event of another
/// workspace for one that answers. Returns the number of hanging calls.
async fn hold_up_before(slow: impl Iterator<Item = String>, quick: &str) -> usize {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let (receivers, mut reached) = Receivers::open();
    let host = receivers.of(&deployment.sound_host().await);
    give_secret_to(&host, CALLER.tenant).await;
    let others = let_in(&host).await;
    for webhook in slow {
        cancel_told(&host, &CALLER, webhook).await;
    }
    site.pass(TICK);
    cancel_told(&host, &others, quick.to_owned()).await;

    let running = tokio::spawn(host.runner.clone().run(CancellationToken::new()));

    let told = timeout(PATIENCE, reached.recv()).await;
    assert_eq!(told.expect("it is told").as_deref(), Some(quick));
    let hanging = receivers.hanging.load(Ordering::Relaxed);
    assert!(hanging <= OF_WORKSPACE, "{hanging}");
    running.abort();
    hanging
}

#[tokio::test]
async fn a_mail_server_that_says_nothing_holds_up_no_webhook() {
    const SIGNINGS: usize = 10;
    const SIGNERS: usize = 20;

    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let (receivers, mut reached) = Receivers::open();
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let host = receivers.of(&writing_to(port, &deployment.sound_host().await));
    name_workspace(&host).await;
    give_secret_to(&host, CALLER.tenant).await;
    for _ in 0..SIGNINGS {
        let mut terms = terms(SigningOrder::Parallel, Delivery::Email);
        let emails = (0..SIGNERS).map(|number| format!("signer-{number}@example.com"));
        terms.signers = emails.map(|email| party(&email)).collect();
        let created = host.post(signing_request(terms)).await;
        created.unwrap();
    }
    site.pass(TICK);
    cancel_told(&host, &CALLER, "https://quick.example/".to_owned()).await;

    let running = tokio::spawn(host.runner.clone().run(CancellationToken::new()));

    let quick = timeout(PATIENCE, reached.recv()).await;
    let quick = quick.expect("it is told");
    assert_eq!(quick.as_deref(), Some("https://quick.example/"));
    running.abort();
}

/// Cancels a signing with a webhook.
async fn cancel_told(host: &Host, caller: &Caller, webhook: String) {
    let mut terms = terms(SigningOrder::Parallel, Delivery::Link);
    terms.webhook_url = Some(webhook.parse().unwrap());
    let request = signing_request(terms);
    let created = host
        .app
        .signing
        .signings
        .create_signing(caller, request)
        .await;
    let id = created.unwrap().id();
    host.app.ceremonies.cancel(caller, id).await.unwrap();
}

/// Sets up another workspace that can pay and receive events.
async fn let_in(host: &Host) -> Caller {
    let row = &BillingRow {
        tenant: OTHERS,
        funding: Funding::Ok,
        ceiling: None,
        recovery_url: None,
        ladder: PriceLadder::default(),
    };
    host.put(row).await;
    give_secret_to(host, OTHERS).await;
    Caller {
        tenant: OTHERS,
        ..CALLER
    }
}

/// Receivers: some never answer, the others report each call.
struct Receivers {
    hanging: AtomicUsize,
    reached: mpsc::UnboundedSender<String>,
}

impl Receivers {
    fn open() -> (Arc<Self>, mpsc::UnboundedReceiver<String>) {
        let (told, reached) = mpsc::unbounded_channel();
        let receivers = Self {
            hanging: AtomicUsize::new(0),
            reached: told,
        };
        (Arc::new(receivers), reached)
    }

    /// Returns the host with these receivers.
    fn of(self: &Arc<Self>, host: &Host) -> Host {
        let receivers = self.clone();
        host.with_doors(move |doors| doors.webhooks = receivers.clone())
    }
}

#[async_trait]
impl HttpPort for Receivers {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        _: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let receiver = request.uri().host().unwrap_or_default();
        let hangs = receiver.starts_with("slow") && request.uri().path() == "/";
        if hangs {
            self.hanging.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<()>().await;
        }
        let _ = self.reached.send(request.uri().to_string());
        Ok(Response::default())
    }
}
