//! All refusals of the API, provoked over HTTP.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Body, Method, StatusCode};
use serde_json::{Value, json};

use super::orders::PACKAGES;
use super::{Answered, DiligenceCaller, ENTITY, answered, ledger};
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::outside::Hook;

/// Time limit for a register in these tests.
const REGISTER: Duration = Duration::from_secs(3);
/// Maximum number of requests per key and minute that are not reads.
const WRITES: usize = 30;
/// Maximum size of a body in these tests.
const BODY_BYTES: usize = 16 * 1024;

/// Observed refusals: status and name of the problem.
#[derive(Default)]
struct Refusals(BTreeSet<(u64, String)>);

impl Refusals {
    #[track_caller]
    fn note(&mut self, answered: &Answered, status: u16, kind: &str) {
        answered.assert_refused(status, kind);
        self.0.insert((status.into(), kind.to_owned()));
    }
}

/// Returns the seconds in `Retry-After`.
fn retry_after(answered: &Answered) -> Option<u64> {
    let header = answered.headers.get(RETRY_AFTER)?;
    header.to_str().expect("ASCII").parse().ok()
}

fn detail(answered: &Answered) -> String {
    let problem = answered.json();
    problem["detail"].as_str().expect("a sentence").to_owned()
}

#[track_caller]
fn assert_told(answered: &Answered, words: &[&str]) {
    let detail = detail(answered);
    assert!(words.iter().all(|word| detail.contains(word)), "{detail}");
}

fn order(entity: &str, role: &str) -> Value {
    json!({"entityCode": entity, "subjectRole": role, "purpose": "OTHER"})
}

/// Posts an order with an idempotency key.
async fn order_as(caller: &DiligenceCaller<'_>, repeated_by: &str, order: &Value) -> Answered {
    let request = caller.request(Method::POST, PACKAGES).json(order);
    answered(request.header("idempotency-key", repeated_by)).await
}

#[tokio::test]
async fn every_refusal_that_is_described_comes_when_it_should() {
    let demo = Demo::start_with(&[
        (
            "PARAFA_DILIGENCE__GATEWAY_SECONDS",
            REGISTER.as_secs().to_string(),
        ),
        ("PARAFA_LIMITS__WRITES_PER_MINUTE", WRITES.to_string()),
        ("PARAFA_LIMITS__MAX_BODY_BYTES", BODY_BYTES.to_string()),
        ("PARAFA_LIMITS__SANDBOX_OPEN_SIGNINGS", "1".to_owned()),
    ]);
    let mut refusals = Refusals::default();

    let others = async {
        requests(&demo, &mut refusals).await;
        orders(&demo, &mut refusals).await;
        orders_at_once(&demo, &mut refusals).await;
        deliveries(&demo, &mut refusals).await;
        viewers(&demo, &mut refusals).await;
    };
    let (silent, ()) = tokio::join!(silent_order(&demo), others);
    registers_without_a_source(&mut refusals).await;
    refusals.note(&silent, 408, "request-timeout");
    assert_eq!(ledger(&demo), [], "no refusal is charged");
    // Last, because it leaves the host out of order.
    out_of_order(&demo, &mut refusals).await;

    let description = DiligenceCaller::test(&demo).get("/dd/openapi.json").await;
    let described = description.json()["components"]["examples"].clone();
    let described: BTreeSet<_> = described
        .as_object()
        .expect("examples")
        .iter()
        .filter_map(|(name, example)| Some((example["value"]["status"].as_u64()?, name.clone())))
        .collect();
    let missing: Vec<_> = described.difference(&refusals.0).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Returns the answer to an order whose body never arrives.
async fn silent_order(demo: &Demo) -> Answered {
    let silence = StreamBody::new(stream::pending::<io::Result<Frame<Bytes>>>());
    let caller = DiligenceCaller::test(demo);
    let request = caller.request(Method::POST, PACKAGES);
    let request = request.header(CONTENT_TYPE, "application/json");
    answered(request.body(Body::wrap(silence))).await
}

/// Provokes refusals due to the request, the key or the account.
async fn requests(demo: &Demo, refusals: &mut Refusals) {
    let test = DiligenceCaller::test(demo);
    let live = DiligenceCaller::live(demo);
    let malformed = test.get("/v1/entities/999000008").await;
    refusals.note(&malformed, 400, "validation-failed");
    let stranger = DiligenceCaller::with(demo, "ddk_live_unknown");
    refusals.note(&stranger.get(ENTITY).await, 401, "unauthorized");
    let tenant = &demo.world.diligence.tenant;
    done(&demo.data(), &["tenant", "set-funding", tenant, "overdue"]);
    refusals.note(&live.get(ENTITY).await, 402, "payment-required");
    done(&demo.data(), &["tenant", "set-funding", tenant, "ok"]);
    let unknown = test.get("/v1/entities/999000191").await;
    refusals.note(&unknown, 404, "no-data");
    let posted = test.post(ENTITY, json!({})).await;
    refusals.note(&posted, 405, "method-not-allowed");
    let long = json!({"entityCode": "9".repeat(BODY_BYTES)});
    refusals.note(&test.post(PACKAGES, long).await, 413, "payload-too-large");
    let text = test.request(Method::POST, PACKAGES).body("an order");
    let text = answered(text.header(CONTENT_TYPE, "text/plain")).await;
    refusals.note(&text, 415, "unsupported-media-type");
}

/// Provokes refusals of orders of identification packages.
async fn orders(demo: &Demo, refusals: &mut Refusals) {
    let test = DiligenceCaller::test(demo);
    let live = DiligenceCaller::live(demo);
    let nobody = live.post(PACKAGES, order("999000009", "liquidator")).await;
    refusals.note(&nobody, 422, "role-not-held");
    assert_told(&nobody, &["liquidator", "999000009"]);

    let ordered = order_as(&test, "once", &order("999000009", "manager")).await;
    assert_eq!(ordered.status, StatusCode::ACCEPTED, "{}", ordered.json());
    let other = order_as(&test, "once", &order("999000017", "manager")).await;
    refusals.note(&other, 422, "idempotency-key-reused");
    let second = test.post(PACKAGES, order("999000017", "manager")).await;
    refusals.note(&second, 429, "quota-exceeded");
    assert!(
        detail(&second).starts_with("1 of at most 1 "),
        "{}",
        detail(&second)
    );

    let ordered = ordered.json();
    let id = ordered["orderId"].as_str().expect("an id");
    let path = format!("{PACKAGES}/{id}");
    let early = test.get(&format!("{path}/artifact")).await;
    refusals.note(&early, 409, "artifact-not-ready");
    assert_told(&early, &["awaiting_subject"]);
    let going_on = test.delete(&path).await;
    refusals.note(&going_on, 409, "order-not-ended");
    assert_told(&going_on, &["awaiting_subject"]);
    let simulate = format!("{path}/simulate");
    let declined = json!({"action": "decline"});
    let simulated = live.post(&simulate, declined.clone()).await;
    refusals.note(&simulated, 403, "sandbox-only");
    assert_eq!(live.get(&path).await.status, StatusCode::NOT_FOUND);
    let unknown = format!("{PACKAGES}/0192f7a0-6b1c-7c3e-9a4d-2f5b8e1c7d90");
    refusals.note(&test.get(&unknown).await, 404, "not-found");
    let ended = test.post(&simulate, declined.clone()).await;
    assert_eq!(ended.status, StatusCode::OK, "{}", ended.json());
    let again = test.post(&simulate, declined).await;
    refusals.note(&again, 409, "order-ended");
    assert_told(&again, &["refused"]);
}

/// Provokes the refusal of an order repeated while the first waits for a
/// register that never answers.
async fn orders_at_once(demo: &Demo, refusals: &mut Refusals) {
    let live = DiligenceCaller::live(demo);
    let world = WorldControl::of(demo);
    world.spoil("register", json!({"fault": "hang"})).await;
    let before = world.now().await;
    let order = order("999000017", "manager");
    let again = async {
        world
            .happens(before, |entry| entry.is("register", "asked"))
            .await;
        order_as(&live, "at-once", &order).await
    };

    let (first, again) = tokio::join!(order_as(&live, "at-once", &order), again);

    world.mend("register").await;
    refusals.note(&again, 409, "idempotency-in-progress");
    assert!(retry_after(&again).is_some_and(|seconds| seconds > 0));
    refusals.note(&first, 502, "upstream-unavailable");
    assert_told(&first, &["The register JAR"]);
}

/// Provokes the refusal of a redelivery while the receiver is slow to answer.
async fn deliveries(demo: &Demo, refusals: &mut Refusals) {
    let test = DiligenceCaller::test(demo);
    let hook = Hook::new(demo, "late");
    hook.answer_late().await;
    let path = "/v1/kyc-deliveries";
    let begun = test.post(path, json!({"webhookUrl": hook.address})).await;
    assert_eq!(begun.status, StatusCode::ACCEPTED, "{}", begun.json());
    let begun = begun.json();
    assert_eq!(begun["event"], "webhook.test");
    hook.deliveries(1).await;
    let id = begun["deliveryId"].as_str().expect("an id");
    let again = test.post(&format!("{path}/{id}/resend"), json!({})).await;
    refusals.note(&again, 409, "delivery-under-way");
    assert_eq!(retry_after(&again), Some(1));
}

/// Provokes refusals for registers without a source: open data have profiles
/// alone.
async fn registers_without_a_source(refusals: &mut Refusals) {
    let nowhere = "http://127.0.0.1:9/".to_owned();
    let demo = Demo::start_with(&[("PARAFA_DILIGENCE__OPEN_DATA_URL", nowhere)]);
    let live = DiligenceCaller::live(&demo);
    for refused in [
        live.get(&format!("{ENTITY}/seizures")).await,
        live.get(&format!("{ENTITY}/dd-report?purpose=OTHER")).await,
        live.post(PACKAGES, order("999000009", "manager")).await,
    ] {
        refusals.note(&refused, 422, "register-not-offered");
        assert_eq!(retry_after(&refused), None);
        assert!(detail(&refused).contains("Asking again does not help"));
    }
    live.get(ENTITY)
        .await
        .assert_refused(502, "upstream-unavailable");
    assert_eq!(ledger(&demo), []);
}

/// Provokes refusals of a viewer, who may only read, and of too many requests.
async fn viewers(demo: &Demo, refusals: &mut Refusals) {
    let issued = done(
        &demo.data(),
        &[
            "key",
            "issue",
            &demo.world.diligence.tenant,
            "--user",
            "viewer@example.com",
            "--product",
            "diligence",
            "--mode",
            "test",
        ],
    );
    let viewer = DiligenceCaller::with(demo, issued["key"].as_str().expect("a key"));
    assert_eq!(viewer.get(ENTITY).await.status, StatusCode::OK);
    let mut last = viewer.post(PACKAGES, order("999000009", "manager")).await;
    refusals.note(&last, 403, "forbidden");
    // As time passes, a few more get through.
    for _ in 0..2 * WRITES {
        if last.status != StatusCode::FORBIDDEN {
            break;
        }
        last = viewer.post(PACKAGES, order("999000009", "manager")).await;
    }
    refusals.note(&last, 429, "rate-limited");
    assert!(retry_after(&last).is_some_and(|seconds| (1..=60).contains(&seconds)));
    assert_eq!(viewer.get(ENTITY).await.status, StatusCode::OK);
}

/// Provokes refusals due to disabled plugins.
async fn out_of_order(demo: &Demo, refusals: &mut Refusals) {
    let live = DiligenceCaller::live(demo);
    let order = order("999000009", "manager");
    done(&demo.data(), &["plugin", "disable", "pdf"]);
    let undrawn = live.post(PACKAGES, order.clone()).await;
    refusals.note(&undrawn, 503, "unavailable");
    assert!(retry_after(&undrawn).is_some());
    done(&demo.data(), &["plugin", "disable", "jades"]);
    let unsigned = live.get(&format!("{ENTITY}?sign=jades-t")).await;
    refusals.note(&unsigned, 503, "signature-unavailable");
    assert_told(&unsigned, &["the plugin jades is not in use"]);
    assert!(retry_after(&unsigned).is_some());
    let unsigned = live.post(PACKAGES, order).await;
    refusals.note(&unsigned, 503, "signature-unavailable");
}

#[tokio::test]
async fn a_register_that_does_not_answer_sensibly_is_told_as_such_and_costs_nothing() {
    let seconds = REGISTER.as_secs().to_string();
    let demo = Demo::start_with(&[("PARAFA_DILIGENCE__GATEWAY_SECONDS", seconds)]);
    let live = DiligenceCaller::live(&demo);
    let world = WorldControl::of(&demo);

    let begun = Instant::now();
    let hangs = live.get("/v1/entities/999000162").await;
    hangs.assert_refused(502, "upstream-unavailable");
    assert!(begun.elapsed() >= REGISTER, "it is given its time");
    // One request per register: a register that fails for many entities is
    // paused.
    for (fault, path) in [
        ("down", "/cases"),
        ("garbage", "/seizures"),
        ("half", "/participants"),
        ("endless", "/real-estate"),
    ] {
        world.spoil("register", json!({"fault": fault})).await;
        let before = world.now().await;
        let refused = live.get(&format!("{ENTITY}{path}?sign=jades-t")).await;
        refused.assert_refused(502, "upstream-unavailable");
        let journal = world.journal(before).await;
        let asked = journal.iter().any(|entry| entry.is("register", "asked"));
        assert!(asked, "{fault}: {journal:?}");
        let is_too_long = detail(&refused).contains("longer");
        assert_eq!(is_too_long, fault == "endless", "{}", detail(&refused));
        world.mend("register").await;
    }
    let test = DiligenceCaller::test(&demo);
    for sandboxed in ["152", "162", "177"] {
        let refused = test.get(&format!("/v1/entities/999000{sandboxed}")).await;
        refused.assert_refused(502, "upstream-unavailable");
    }
    assert_eq!(ledger(&demo), []);

    let answered = live.get(&format!("{ENTITY}/real-estate")).await;
    assert_eq!(answered.status, StatusCode::OK, "it is well again");
    assert_eq!(ledger(&demo).len(), 1);
}
