//! Traces: all effects of a request are in one trace, from the caller's span to
//! the webhook, without personal data.

mod collector;

use parafa_test_services::{Postgres, S3};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;

use self::collector::{Collector, Span};
use crate::diligence::DiligenceCaller;
use crate::signing_api::account::{Account, Answer, ceremony_of, signing_of, text, with};
use crate::support::demo::{Demo, on_database};
use crate::support::metrics::assert_nobody_is_named;
use crate::support::outside::{Hook, letters};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER_TRACE: &str = "5bf92f3577b34da6a3ce929d0e0e4736";
const SIGNERS_TRACE: &str = "6bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";
const TRACES_URL: &str = "PARAFA_TELEMETRY__TRACES_URL";
const TRACES_SHARE: &str = "PARAFA_TELEMETRY__TRACES_SHARE";
/// Calls of which half are traced: all or none once in 10¹¹ runs.
const CALLS: usize = 40;
const SERVER: u64 = 2;
const CLIENT: u64 = 3;

fn traced(collector: &Collector) -> Demo {
    Demo::start_with(&[(TRACES_URL, collector.address.clone())])
}

/// Makes a call as part of the caller's trace.
async fn call(api: &Account, path: &str, body: &Value, traceparent: &str) -> Answer {
    let request = api.request(Method::POST, path).json(body);
    Answer::to(request.header("traceparent", traceparent)).await
}

fn one_signer(hook: &Hook) -> Value {
    let signers = json!([{"email": "ona@example.lt", "name": "Ona Onaitė"}]);
    with(signing_of(signers), json!({"webhookUrl": hook.address}))
}

fn named<'s>(spans: &'s [Span], name: &str) -> Vec<&'s Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

/// Returns whether a span is inside of another one, at any depth.
fn is_below(spans: &[Span], span: &Span, above: &str) -> bool {
    let parent = span.parent.as_deref();
    parent == Some(above)
        || spans
            .iter()
            .find(|one| Some(one.id.as_str()) == parent)
            .is_some_and(|one| is_below(spans, one, above))
}

/// Asserts that spans of all these names are inside of another one.
#[track_caller]
fn assert_below(spans: &[Span], above: &Span, names: &[&str]) {
    for name in names {
        let mut named = named(spans, name).into_iter();
        let is_there = named.any(|span| is_below(spans, span, &above.id));
        assert!(is_there, "{name}: {spans:#?}");
    }
}

#[tokio::test]
async fn a_signature_is_one_trace_from_the_signers_request_to_the_webhook_and_names_nobody() {
    let collector = Collector::start();
    let mut demo = traced(&collector);
    let hook = Hook::new(&demo, "traced");
    let signing = Account::live(&demo).create(one_signer(&hook)).await;
    let ceremony = ceremony_of(&signing["signers"][0]);
    let persona = demo.smart_id_personas("signs")[0].clone();

    ceremony.sign(&persona).await;

    let deliveries = hook.deliveries(2).await;
    let told: Vec<_> = deliveries
        .iter()
        .map(|it| it.header("traceparent"))
        .collect();
    let trace = told[0].split('-').nth(1).expect("a trace");
    let spans = collector
        .trace(trace, |spans| {
            let has = |name: &str| named(spans, name).len();
            let sent = named(spans, "POST").into_iter();
            let sent = sent.filter(|span| told.iter().any(|it| it.contains(&span.id)));
            sent.count() == told.len() && has("deliver-event") >= 2 && has("drive-attempt") > 0
        })
        .await;
    let [begin] = named(&spans, "POST /c/{token}/attempts")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!((begin.kind, &begin.parent), (SERVER, &None));
    assert_eq!(begin.attributes["http.route"], "/c/{token}/attempts");
    assert_eq!(begin.attributes["http.response.status_code"], "201");
    let caused = [
        "commit",
        "plugin sign",
        "drive-attempt",
        "step check-certificate",
        "step prepare",
        "step finish",
        "deliver-event",
        "POST",
    ];
    assert_below(&spans, begin, &caused);
    let address: Url = hook.address.parse().expect("an address");
    let webhooks = named(&spans, "POST").into_iter();
    for sent in webhooks.filter(|span| told.iter().any(|it| it.contains(&span.id))) {
        assert_eq!(sent.kind, CLIENT);
        let host = sent.attributes.get("server.address").map(String::as_str);
        assert_eq!(host, address.host_str());
    }

    demo.stop();
    let link = text(&signing["signers"][0], "ceremonyUrl");
    let token = link.rsplit('/').next().expect("a token");
    let key = demo.world.signing.live.as_str();
    let secrets = [token, "ona@example.lt", "Onaitė", key];
    assert_nobody_is_named(&collector.told().bodies, &demo, &secrets);
}

#[tokio::test]
async fn a_callers_trace_is_continued_if_it_is_recorded_and_else_left_alone_and_a_signers_never() {
    let collector = Collector::start();
    let mut demo = traced(&collector);
    let hook = Hook::new(&demo, "unrecorded");
    let api = Account::live(&demo);
    let recorded = format!("00-{TRACE}-{SPAN}-01");
    let unrecorded = format!("00-{OTHER_TRACE}-{SPAN}-00");

    let signing = call(&api, "v1/signings", &one_signer(&hook), &recorded).await;
    let signing = signing.expect(201);
    let cancel = format!("v1/signings/{}/cancel", text(&signing, "signingId"));
    let cancelled = call(&api, &cancel, &json!({}), &unrecorded).await;
    cancelled.expect(200);

    let deliveries = hook.deliveries(1).await;
    assert_eq!(deliveries[0].header_if_any("traceparent"), None);
    // Visitors of a page cannot influence tracing by any header.
    let page = text(&signing["signers"][0], "ceremonyUrl");
    let page = api.request(Method::GET, page);
    let signers = format!("00-{SIGNERS_TRACE}-{SPAN}-01");
    Answer::to(page.header("traceparent", signers)).await;
    demo.stop();
    let spans = collector.told().spans;
    let [created] = named(&spans, "POST /v1/signings")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(created.trace, TRACE);
    assert_eq!(created.parent.as_deref(), Some(SPAN));
    assert_below(&spans, created, &["commit", "plugin inspect"]);
    let others = [OTHER_TRACE, SIGNERS_TRACE];
    let others = spans
        .iter()
        .filter(|span| others.contains(&span.trace.as_str()));
    assert_eq!(others.count(), 0, "{spans:#?}");
    let [page] = named(&spans, "GET /c/{token}")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(page.parent, None, "it is a trace of its own");
}

#[tokio::test]
async fn a_document_in_a_bucket_and_an_email_are_in_the_trace_and_name_nobody() {
    let collector = Collector::start();
    let (database, bucket) = (Postgres::temporary_database(), S3::start());
    let variables = bucket.variables();
    let mut settings = on_database(database.url()).to_vec();
    settings.push((TRACES_URL, collector.address.clone()));
    settings.push(("PARAFA_OBJECTS__URL", bucket.url()));
    let variables = variables.iter();
    settings.extend(variables.map(|(name, value)| (&**name, value.clone())));
    let demo = Demo::start_with(&settings);
    let signers = json!([{"email": "ona@example.lt", "name": "Ona Onaitė"}]);
    let by_mail = with(signing_of(signers), json!({"delivery": "email"}));
    let recorded = format!("00-{TRACE}-{SPAN}-01");

    let created = call(&Account::live(&demo), "v1/signings", &by_mail, &recorded).await;

    created.expect(201);
    letters(&demo, 1).await;
    let awaited = ["POST /v1/signings", "objects put", "mail", "send-mail"];
    let spans = collector
        .trace(TRACE, |spans| {
            awaited.iter().all(|name| !named(spans, name).is_empty())
        })
        .await;
    let [created] = named(&spans, "POST /v1/signings")[..] else {
        panic!("{spans:#?}");
    };
    assert_below(&spans, created, &["objects put", "send-mail", "mail"]);
    let clients = ["objects put", "mail"];
    let mut clients = clients.iter().flat_map(|name| named(&spans, name));
    assert!(clients.all(|span| span.kind == CLIENT), "{spans:#?}");
    let bodies = collector.told().bodies;
    assert_nobody_is_named(&bodies, &demo, &["ona@example.lt", "Onaitė", "nuoma"]);
}

#[tokio::test]
async fn the_attorneys_signature_is_in_the_trace_of_the_call_that_wants_it() {
    let collector = Collector::start();
    let mut demo = traced(&collector);
    let signed = "/v1/entities/999000009/participants?sign=jades-t";

    let answered = DiligenceCaller::live(&demo).get(signed).await;

    assert_eq!(answered.status, StatusCode::OK);
    demo.stop();
    let spans = collector.told().spans;
    let [key] = named(&spans, "attorney's key")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(key.attributes["parafa.key.storage"], "memory");
    let mut requests = spans.iter().filter(|span| span.kind == SERVER);
    let request = requests.find(|span| span.trace == key.trace);
    let caused = ["attorney's key", "plugin sign", "POST"];
    assert_below(&spans, request.expect("the call"), &caused);
}

#[tokio::test]
async fn of_calls_without_a_trace_a_share_is_recorded_and_of_others_all() {
    let collector = Collector::start();
    let share = (TRACES_SHARE, "0.5".to_owned());
    let mut demo = Demo::start_with(&[(TRACES_URL, collector.address.clone()), share]);
    let api = Account::live(&demo);
    let recorded = format!("00-{TRACE}-{SPAN}-01");

    for _ in 0..CALLS {
        api.get("v1/signings").await.expect(200);
        let request = api.request(Method::GET, "v1/signings");
        let traced = Answer::to(request.header("traceparent", &recorded)).await;
        traced.expect(200);
    }

    demo.stop();
    let spans = collector.told().spans;
    let calls = named(&spans, "GET /v1/signings");
    let traced = calls.iter().filter(|span| span.trace == TRACE).count();
    assert_eq!(traced, CALLS);
    let drawn = calls.len() - traced;
    assert!((1..CALLS).contains(&drawn), "{drawn} of {CALLS}");
}
