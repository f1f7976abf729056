//! Sizes of bodies, declared and real.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use parafa_api_signing::{HttpConfig, ProblemKind};

use crate::support::{Answer, Service, minimal, request};

/// A body without end, with a count of the KiB that were taken from it.
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
