//! Traces: all effects of a request are in one trace, from the caller's span to
//! the webhook, without personal data.

mod collector;

use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use self::collector::{Collector, Span};
use crate::signing_api::account::{Account, Answer, ceremony_of, signing_of, text, with};
use crate::support::demo::Demo;
use crate::support::metrics::assert_nobody_is_named;
use crate::support::outside::Hook;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER_TRACE: &str = "5bf92f3577b34da6a3ce929d0e0e4736";
const SIGNERS_TRACE: &str = "6bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";
const SERVER: u64 = 2;
const CLIENT: u64 = 3;

fn traced(collector: &Collector) -> Demo {
    let url = collector.address.clone();
    Demo::start_with(&[("PARAFA_TELEMETRY__TRACES_URL", url)])
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
    for what in [
        "commit",
        "plugin sign",
        "drive-attempt",
        "deliver-event",
        "POST",
    ] {
        let below = named(&spans, what).into_iter();
        let below = below.filter(|span| is_below(&spans, span, &begin.id));
        assert!(below.count() > 0, "{what}: {spans:#?}");
    }
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
    for what in ["commit", "plugin inspect"] {
        let below = named(&spans, what).into_iter();
        let below = below.filter(|span| is_below(&spans, span, &created.id));
        assert!(below.count() > 0, "{what}: {spans:#?}");
    }
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
