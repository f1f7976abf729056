//! Precedence of refusals.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use axum::body::Body;
use axum::extract::ConnectInfo;
use parafa_api_signing::ProblemKind::{
    Forbidden, MethodNotAllowed, NotFound, PayloadTooLarge, RateLimited, Unauthorized,
    UnsupportedMediaType, ValidationFailed,
};
use parafa_api_signing::{RateLimiter, RateLimits};

use crate::support::{KNOWN, Service, UNKNOWN, request};

fn writes_per_minute(writes_per_minute: NonZeroU32) -> RateLimiter {
    RateLimiter::new(RateLimits {
        writes_per_minute,
        ..RateLimits::default()
    })
}

#[tokio::test]
async fn refusals_come_in_the_order_of_the_contract() {
    let known = format!("/v1/signings/{KNOWN}");
    let unknown = format!("/v1/signings/{UNKNOWN}");
    let (known, unknown) = (known.as_str(), unknown.as_str());
    // With a body that no call takes: method, path, key, expected refusal.
    let calls = [
        ("POST", "/v1/nothing", "wrong", Unauthorized),
        ("DELETE", "/v1/signings", "wrong", Unauthorized),
        ("POST", "/v1/nothing", "viewer", Forbidden),
        ("PUT", "/v1/signings", "viewer", Forbidden),
        ("POST", "/v1/signings", "viewer", Forbidden),
        ("DELETE", unknown, "viewer", Forbidden),
        ("POST", "/v1/nothing", "member", NotFound),
        ("PUT", "/v1/signings/", "member", NotFound),
        ("PUT", "/v1/signings/7", "member", NotFound),
        ("PUT", "/v1/signings/%FF", "member", NotFound),
        ("PUT", unknown, "member", NotFound),
        ("PUT", known, "member", MethodNotAllowed),
        ("PATCH", "/v1/signings", "member", MethodNotAllowed),
    ];
    let without_body = ("GET", "/v1/signings/7/document", "member", NotFound);
    // Of one that is refused for its body alone: content type, body, expected refusal.
    let bodies = [
        ("text/plain", "{ much too long", UnsupportedMediaType),
        ("", "{ much too long", UnsupportedMediaType),
        ("application/json", "{ much too long", PayloadTooLarge),
        ("application/json; charset=utf-8", "{", ValidationFailed),
    ];
    let posted = |(content_type, body, kind)| {
        let call = ("POST", "/v1/signings?x=1", "member", kind);
        (call, content_type, body)
    };
    let service = Service::with(|config| config.max_body_bytes = 8);
    for ((method, path, key, kind), content_type, body) in calls
        .map(|call| (call, "text/plain", "{"))
        .into_iter()
        .chain([(without_body, "", "")])
        .chain(bodies.map(posted))
    {
        let mut request = request(method, path, key);
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        let answer = service.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(answer.problem(), kind, "{method} {path} as {key}");
    }
}

#[tokio::test]
async fn the_rate_counts_before_the_role_and_after_the_key() {
    let service = Service::with(|config| config.rates = writes_per_minute(NonZeroU32::MIN));
    for (key, path, kind) in [
        ("viewer", "/v1/signings", Forbidden),
        ("viewer", "/v1/signings", RateLimited),
        ("viewer", "/v1/nothing", RateLimited),
        ("wrong", "/v1/signings", Unauthorized),
        ("member", "/v1/nothing", NotFound),
    ] {
        let answer = service
            .send(request("POST", path, key).body(Body::empty()).unwrap())
            .await;
        assert_eq!(answer.problem(), kind, "{path} as {key}");
    }
}

#[tokio::test]
async fn outside_of_the_api_no_key_is_asked_for() {
    let service = Service::new();
    for path in ["/", "/nothing", "/v2/signings"] {
        let answer = service
            .send(request("GET", path, "wrong").body(Body::empty()).unwrap())
            .await;
        assert_eq!(answer.problem(), NotFound, "{path}");
    }
}

#[tokio::test]
async fn whoever_tries_many_keys_that_do_not_work_is_told_to_wait() {
    let service = Service::with(|config| {
        config.rates = writes_per_minute(NonZeroU32::new(2).unwrap());
    });
    let from = |peer: [u8; 4], key: &str| {
        let mut request = request("GET", "/v1/signings", key)
            .body(Body::empty())
            .unwrap();
        let peer = SocketAddr::from((peer, 5000));
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    };
    let (guesser, other) = ([192, 0, 2, 1], [192, 0, 2, 2]);

    for _ in 0..2 {
        let answer = service.send(from(guesser, "wrong")).await;
        assert_eq!(answer.status, 401);
    }
    let refused = service.send(from(guesser, "wrong")).await;

    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "30");
    assert_eq!(service.send(from(other, "wrong")).await.status, 401);
    assert_eq!(service.send(from(guesser, "owner")).await.status, 200);
}
