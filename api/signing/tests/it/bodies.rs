//! Sizes of bodies, declared and real.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use parafa_api_signing::{HttpConfig, MIB, ProblemKind};
use tokio::time::Instant;

use crate::support::{Answer, KNOWN, SIGNER, Service, base64, json_request, minimal, request};

/// An endless body, with the number of KiB read from it.
fn endless() -> (Body, Arc<AtomicUsize>) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&taken);
    let chunks = stream::repeat_with(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 1024]))
    });
    (Body::from_stream(chunks), taken)
}

async fn post(service: &Service, body: Body, length: Option<usize>) -> Answer {
    let mut request =
        request("POST", "/v1/signings", "owner").header("content-type", "application/json");
    if let Some(length) = length {
        request = request.header("content-length", length);
    }
    service.send(request.body(body).unwrap()).await
}

fn small(config: &mut HttpConfig) {
    config.max_body_bytes = 4096;
}

#[tokio::test]
async fn a_body_that_is_declared_too_long_is_not_read() {
    let service = Service::with(small);
    let (body, taken) = endless();
    let answer = post(&service, body, Some(4097)).await;
    assert_eq!(answer.problem(), ProblemKind::PayloadTooLarge);
    assert!(
        answer.json()["detail"]
            .as_str()
            .unwrap()
            .contains("POST /v1/files")
    );
    assert_eq!(taken.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_body_of_unknown_length_is_read_up_to_the_limit() {
    let service = Service::with(small);
    let (body, taken) = endless();
    assert_eq!(
        post(&service, body, None).await.problem(),
        ProblemKind::PayloadTooLarge
    );
    assert_eq!(taken.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_taken() {
    let service = Service::with(small);
    let mut body = minimal().to_string();
    body.push_str(&" ".repeat(4096 - body.len()));
    assert_eq!(post(&service, Body::from(body), None).await.status, 201);
}

#[tokio::test]
async fn bodies_share_a_budget_that_is_given_back() {
    let service = Service::with(|config| {
        config.max_body_bytes = 8192;
        config.max_bytes_in_flight = 4096;
    });
    for _ in 0..3 {
        let (body, _) = endless();
        let answer = post(&service, body, None).await;
        assert_eq!(answer.problem(), ProblemKind::Unavailable);
        assert_eq!(answer.header("retry-after"), "5");
        assert_eq!(
            post(&service, Body::from(minimal().to_string()), None)
                .await
                .status,
            201
        );
    }
}

#[tokio::test]
async fn a_body_may_be_as_long_as_the_operator_says() {
    const LONG: usize = 257;

    let service = Service::with(|config| {
        let [body, batch] = [1, LONG * MIB].map(|bytes| NonZeroUsize::new(bytes).unwrap());
        *config = config.clone().with_longest_bodies(body, batch);
    });
    let chunk = Bytes::from(vec![b'x'; MIB]);
    let chunks = stream::iter(vec![chunk; LONG]).map(Ok::<_, std::io::Error>);
    let batch = request("POST", "/v1/batches", "owner")
        .header("content-type", "application/json")
        .body(Body::from_stream(chunks))
        .unwrap();

    let answer = service.send(batch).await;

    let [(pointer, why)] = &answer.faults()[..] else {
        panic!("{}", answer.json());
    };
    assert_eq!(pointer, "");
    assert!(why.contains("not readable as JSON"), "{why}");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let service = Service::new();
    let broken = stream::iter([
        Ok(Bytes::from_static(b"{")),
        Err(std::io::Error::other("gone")),
    ]);
    let answer = post(&service, Body::from_stream(broken), None).await;
    assert_eq!(
        answer.faults(),
        [(String::new(), "ended before it was complete".to_owned())]
    );
}

#[tokio::test]
async fn an_encoded_body_is_not_supported() {
    let service = Service::new();
    let request = request("POST", "/v1/signings", "owner")
        .header("content-type", "application/json")
        .header("content-encoding", "gzip")
        .body(Body::from(minimal().to_string()))
        .unwrap();
    assert_eq!(
        service.send(request).await.problem(),
        ProblemKind::UnsupportedMediaType
    );
}

/// A body that sends one byte each second.
fn trickle() -> Body {
    Body::from_stream(stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), ()))
    }))
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_in_is_cut() {
    let service = Service::new();
    let begun = Instant::now();
    let answer = post(&service, trickle(), None).await;
    assert_eq!(answer.problem(), ProblemKind::RequestTimeout);
    assert_eq!(begun.elapsed(), Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_is_cut() {
    let service = Service::new();
    let begun = Instant::now();
    let answer = post(
        &service,
        Body::from_stream(stream::pending::<Silence>()),
        None,
    )
    .await;
    assert_eq!(answer.problem(), ProblemKind::RequestTimeout);
    assert_eq!(begun.elapsed(), Duration::from_secs(20));
}

type Silence = Result<Bytes, std::io::Error>;

#[tokio::test(start_paused = true)]
async fn a_large_body_that_keeps_the_pace_is_read() {
    let service = Service::new();
    let body = minimal().to_string();
    let padding = stream::iter((0..60).map(|_| Bytes::from_static(&[b' '; 32 * 1024])));
    let chunks = padding
        .chain(stream::iter([Bytes::from(body)]))
        .then(|chunk| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, std::io::Error>(chunk)
        });
    let answer = post(&service, Body::from_stream(chunks), None).await;
    assert_eq!(answer.status, 201);
}

#[tokio::test]
async fn a_batch_may_be_longer_than_other_bodies() {
    let service = Service::with(|config| {
        config.max_body_bytes = 16;
        config.max_batch_body_bytes = 4096;
    });
    let batch = format!(
        r#"{{"title":"Sutartys","documents":[{{"name":"a.pdf","content":"{}"}}],"signers":[{{"email":"a@example.lt"}}]}}"#,
        base64(b"%PDF-1.7")
    );
    for (path, status) in [("/v1/batches", 201), ("/v1/signings", 413)] {
        let answer = service
            .send(json_request("POST", path, "owner", batch.clone()))
            .await;
        assert_eq!(answer.status, status, "{path}");
    }
}

#[tokio::test]
async fn a_call_with_nothing_in_it_is_told_which_members_it_lacks() {
    let service = Service::new();
    let simulate = || request("POST", &format!("/v1/signings/{KNOWN}/simulate"), "owner");
    let nothing = simulate().body(Body::empty()).unwrap();
    assert_eq!(
        service.send(nothing).await.faults(),
        [("/action".to_owned(), "is required".to_owned())]
    );
    for (body, content_type) in [("{}", None), ("", Some("text/plain"))] {
        let request = match content_type {
            Some(content_type) => simulate().header("content-type", content_type),
            None => simulate(),
        };
        let answer = service.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(
            answer.problem(),
            ProblemKind::UnsupportedMediaType,
            "{body:?}"
        );
    }
}

#[tokio::test]
async fn calls_without_members_take_nothing_or_an_empty_object() {
    let service = Service::new();
    for call in ["cancel", "archive", &format!("signers/{SIGNER}/remind")] {
        let path = format!("/v1/signings/{KNOWN}/{call}");
        let nothing = || request("POST", &path, "owner");
        for (body, content_type) in [
            ("", None),
            ("", Some("text/plain")),
            ("", Some("application/json")),
            (" \n", Some("application/json")),
            ("{}", Some("application/json")),
        ] {
            let request = match content_type {
                Some(content_type) => nothing().header("content-type", content_type),
                None => nothing(),
            };
            let answer = service.send(request.body(Body::from(body)).unwrap()).await;
            assert_eq!(answer.status, 200, "{path} {body:?} {content_type:?}");
        }
        for (body, pointer) in [
            ("{\"reason\":1}", "/reason"),
            ("[]", ""),
            ("null", ""),
            ("{", ""),
        ] {
            let answer = service
                .send(json_request("POST", &path, "owner", body))
                .await;
            assert_eq!(answer.faults()[0].0, pointer, "{path} {body}");
        }
        let undeclared = nothing().body(Body::from("{}")).unwrap();
        assert_eq!(
            service.send(undeclared).await.problem(),
            ProblemKind::UnsupportedMediaType
        );
    }
}

#[tokio::test]
async fn documents_end_at_fifteen_mebibytes() {
    let service = Service::new();
    let limit = 15 * 1_048_576;
    for (length, fault) in [(limit, None), (limit + 1, Some("/content"))] {
        let content = base64(&vec![7; length]);
        let body = format!(r#"{{"name":"a.pdf","content":"{content}"}}"#);
        let answer = service
            .send(json_request("POST", "/v1/files", "owner", body))
            .await;
        match fault {
            None => assert_eq!(answer.status, 201),
            Some(pointer) => {
                let faults = answer.faults();
                assert_eq!(faults[0].0, pointer);
                assert_eq!(faults[0].1, "must decode to at most 15728640 bytes");
            }
        }
    }
}
