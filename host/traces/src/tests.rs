use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::info_span;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

use super::*;
use crate::export::QUEUE;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

#[derive(Debug, thiserror::Error)]
#[error("the collector is away")]
struct Away;

/// The spans of this work; none has been sent yet.
fn recorded(share: f64, work: impl FnOnce()) -> Exporter {
    let (layer, exporter) = layer(share);
    tracing::subscriber::with_default(Registry::default().with(layer), work);
    exporter
}

/// Requests that a collector gets for this work.
async fn told(share: f64, work: impl FnOnce()) -> Vec<Value> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let collector = |body: Bytes| {
        let requests = requests.clone();
        async move {
            let request: Value = serde_json::from_slice(&body).unwrap();
            requests.lock().unwrap().push(request);
            Ok::<_, Away>(())
        }
    };
    let stop = CancellationToken::new();
    stop.cancel();
    recorded(share, work).run(collector, stop).await;
    let requests = requests.lock().unwrap();
    requests.clone()
}

/// All spans, in the order of their ends.
fn spans(requests: &[Value]) -> Vec<&Value> {
    let spans = requests.iter().map(|request| {
        let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
        spans.as_array().unwrap()
    });
    spans.flatten().collect()
}

/// A request that is answered with this status, with this work in it.
fn request(traceparent: Option<&str>, status: u16, work: impl FnOnce()) {
    let route = "/c/{token}";
    let span = info_span!(
        target: TARGET,
        "request",
        otel.kind = "server",
        otel.name = format_args!("GET {route}"),
        traceparent,
        http.request.method = "GET",
        http.response.status_code = Empty,
    );
    span.in_scope(work);
    span.record("http.response.status_code", status);
}

fn asked() {
    info_span!(target: TARGET, "asked", otel.kind = "client").in_scope(|| {});
}

#[tokio::test]
async fn a_request_and_what_stands_in_it_are_one_trace() {
    let requests = told(1.0, || {
        // Spans for the log alone are not in the trace.
        request(None, 404, || info_span!("for the log").in_scope(asked));
    })
    .await;

    let [inner, outer] = spans(&requests)[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(inner["name"], "asked");
    assert_eq!(inner["kind"], 3);
    assert_eq!(outer["name"], "GET /c/{token}");
    assert_eq!(outer["kind"], 2);
    assert_eq!(inner["traceId"], outer["traceId"]);
    assert_eq!(inner["parentSpanId"], outer["spanId"]);
    assert!(outer.get("parentSpanId").is_none());
    let [method, status] = &outer["attributes"].as_array().unwrap()[..] else {
        panic!("{outer}");
    };
    assert_eq!(method["key"], "http.request.method");
    assert_eq!(method["value"]["stringValue"], "GET");
    assert_eq!(status["value"]["intValue"], "404");
    assert!(
        outer.get("status").is_none(),
        "the request was wrong: {outer}"
    );
    let resource = &requests[0]["resourceSpans"][0]["resource"]["attributes"][0];
    assert_eq!(resource["value"]["stringValue"], "parafa");
}

#[tokio::test]
async fn what_failed_says_so() {
    let requests = told(1.0, || {
        request(None, 503, || {
            let span = info_span!(target: TARGET, "call", "error.type" = Empty);
            span.record("error.type", "trap");
        });
    })
    .await;

    for span in spans(&requests) {
        assert_eq!(span["status"]["code"], 2, "{span}");
    }
}

#[tokio::test]
async fn a_caller_who_records_a_trace_has_it_continued_whatever_the_share() {
    let parent = format!("00-{TRACE}-{SPAN}-01");
    let mut seen = None;

    let requests = told(0.0, || {
        request(Some(&parent), 200, || seen = current());
    })
    .await;

    let [span] = spans(&requests)[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(span["traceId"], TRACE);
    assert_eq!(span["parentSpanId"], SPAN);
    let own = span["spanId"].as_str().unwrap();
    let seen = seen.map(|context| context.to_string());
    assert_eq!(seen, Some(format!("00-{TRACE}-{own}-01")));
}

#[tokio::test]
async fn nothing_is_told_of_what_is_not_among_the_share_or_not_recorded_by_its_caller() {
    let unsampled = format!("00-{TRACE}-{SPAN}-00");

    for (share, parent) in [
        (0.0, None),
        (0.0, Some("nonsense")),
        (1.0, Some(&*unsampled)),
    ] {
        let requests = told(share, || {
            request(parent, 200, || {
                asked();
                assert_eq!(current(), None);
            });
        })
        .await;
        assert!(requests.is_empty(), "{parent:?}: {requests:?}");
    }
    let requests = told(1.0, asked).await;
    assert!(requests.is_empty(), "no request caused it: {requests:?}");
}

#[tokio::test]
async fn what_is_done_later_belongs_to_the_trace_that_caused_it() {
    let cause = format!("00-{TRACE}-{SPAN}-01");

    let requests = told(0.0, || {
        let job = info_span!(target: TARGET, "job", otel.kind = "consumer", traceparent = cause);
        job.in_scope(asked);
    })
    .await;

    let spans = spans(&requests).into_iter();
    let told: Vec<_> = spans.map(|span| &span["traceId"]).collect();
    assert_eq!(told, [TRACE, TRACE]);
}

#[tokio::test]
async fn spans_are_sent_in_parts_and_those_without_room_are_counted_and_dropped() {
    let dropped = metrics::dropped();

    let requests = told(1.0, || {
        for _ in 0..QUEUE + 3 {
            request(None, 200, || {});
        }
    })
    .await;

    assert_eq!(metrics::dropped() - dropped, 3);
    assert_eq!(spans(&requests).len(), QUEUE);
    assert!(
        requests
            .iter()
            .all(|request| spans(std::slice::from_ref(request)).len() <= 512)
    );
}

#[tokio::test(start_paused = true)]
async fn a_collector_that_is_away_costs_its_spans_and_nothing_else() {
    let exporter = recorded(1.0, || request(None, 200, || {}));
    let stop = CancellationToken::new();
    let asked = Arc::new(Mutex::new(0));
    let counted = asked.clone();
    let collector = move |_: Bytes| {
        *counted.lock().unwrap() += 1;
        async { Err(Away) }
    };

    // The layer is dropped, so that no more spans can come.
    exporter.run(collector, stop).await;

    assert_eq!(*asked.lock().unwrap(), 1);
}
