//! Problem documents and the pages of their types.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::body::Body;
use parafa_api_http::ProblemType;
use parafa_api_signing::{BaseUrl, Neighbour, Problem, ProblemKind, RateLimiter, RateLimits};
use serde_json::json;

use crate::fake::{PANICS, UNPAID};
use crate::support::{Service, json_request, with};

#[tokio::test]
async fn a_refusal_has_exactly_the_members_of_the_contract() {
    let answer = Service::new().get("/v1/signings?limit=0").await;
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.json(),
        json!({
            "type": "https://sign.example/problems/validation-failed",
            "title": "The request is not valid",
            "status": 400,
            "detail": "The request is not valid: /limit must be an integer from 1 to 100.",
            "errors": [{"pointer": "/limit", "detail": "must be an integer from 1 to 100"}],
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_that_is_used_up_says_when_to_come_back() {
    let two = NonZeroU32::new(2).unwrap();
    let service = Service::with(|config| {
        config.rates = RateLimiter::new(RateLimits {
            reads_per_minute: two,
            ..RateLimits::default()
        });
    });
    for left in ["\"reads\";r=1;t=30", "\"reads\";r=0;t=60"] {
        let answer = service.get("/v1/signings").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit"), left);
        assert_eq!(answer.header("ratelimit-policy"), "\"reads\";q=2;w=60");
    }

    let answer = service.get("/v1/signings").await;
    assert_eq!(answer.problem(), ProblemKind::RateLimited);
    assert_eq!(answer.header("retry-after"), "30");
    assert_eq!(answer.header("ratelimit"), "\"reads\";r=0;t=30");

    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(service.get("/v1/signings").await.status, 200);
}

#[tokio::test]
async fn a_refusal_for_money_names_the_page_that_fixes_it() {
    let answer = Service::new().create(&with("/title", json!(UNPAID))).await;
    assert_eq!(answer.problem(), ProblemKind::PaymentRequired);
    assert_eq!(answer.json()["recoveryUrl"], "https://pay.example/invoices");
}

#[tokio::test]
async fn a_panic_is_answered_with_503() {
    let service = Service::new();
    let request = json_request(
        "POST",
        "/v1/signings",
        "owner",
        with("/title", json!(PANICS)).to_string(),
    );
    let answer = service.send(request).await;
    assert_eq!(answer.problem(), ProblemKind::Unavailable);
    assert!(!answer.header("x-request-id").is_empty());
    assert!(!String::from_utf8_lossy(&answer.body).contains("as told"));
}

#[tokio::test]
async fn every_type_leads_to_a_page() {
    let service = Service::new();
    for kind in ProblemKind::ALL {
        let answer = service
            .send(http::Request::get(kind.path()).body(Body::empty()).unwrap())
            .await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        let page = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(
            page.contains(kind.title()) && page.contains(kind.name()),
            "{kind:?}"
        );
    }
    for path in ["/problems/none", "/problems/%FF", "/problems/"] {
        let unknown = service
            .send(http::Request::get(path).body(Body::empty()).unwrap())
            .await;
        assert_eq!(unknown.problem(), ProblemKind::NotFound, "{path}");
    }
}

#[test]
fn an_answer_without_an_edge_says_the_same() {
    let base = BaseUrl::new(&"https://sign.example".parse().unwrap());

    let answer = Problem::unavailable("Later.")
        .with_retry_after(5)
        .answer(&base);

    assert_eq!(answer.status(), 503);
    let header = |name: &str| answer.headers()[name].to_str().unwrap();
    assert_eq!(header("content-type"), "application/problem+json");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("retry-after"), "5");
    assert_eq!(
        header("content-length"),
        answer.body().len().to_string().as_str()
    );
    let members: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(
        members,
        json!({
            "type": "https://sign.example/problems/unavailable",
            "title": "The service cannot do this now",
            "status": 503,
            "detail": "Later.",
        })
    );
}

#[tokio::test]
async fn types_of_neighbours_lead_to_pages_too() {
    let kind = ProblemType {
        status: http::StatusCode::GONE,
        name: "sold-out",
        title: "There is no more of it",
        meaning: "All of it was sold.",
        remedy: "Come earlier.",
    };
    let service = Service::with(|config| {
        config.neighbours = vec![Neighbour {
            title: "Sales".to_owned(),
            folder: "/sales".to_owned(),
            summary: "What is sold",
            guide: "From nothing to a sale",
            problems: vec![ProblemType::VALIDATION_FAILED, kind],
            problem_folder: "",
            events: Vec::new(),
        }];
    });

    let answer = service.get("/problems/sold-out").await;

    assert_eq!(answer.status, 200);
    let page = std::str::from_utf8(&answer.body).unwrap();
    assert!(page.contains(kind.meaning), "{page}");
    assert_eq!(Service::new().get("/problems/sold-out").await.status, 404);
}

#[test]
fn the_names_are_those_of_the_contract() {
    let by_status: [(u16, &[&str]); 15] = [
        (
            400,
            &["validation-failed", "document-refused", "flatten-refused"],
        ),
        (401, &["unauthorized"]),
        (402, &["payment-required"]),
        (403, &["forbidden", "sandbox-only"]),
        (404, &["not-found"]),
        (405, &["method-not-allowed"]),
        (408, &["request-timeout"]),
        (
            409,
            &[
                "signing-ended",
                "not-yet-signed",
                "signing-in-progress",
                "signer-not-open",
                "last-signer",
                "too-many-signers",
                "not-remindable",
                "sandbox-never-signs",
                "document-changed",
                "delivery-under-way",
                "idempotency-in-progress",
            ],
        ),
        (413, &["payload-too-large"]),
        (414, &["uri-too-long"]),
        (415, &["unsupported-media-type"]),
        (
            422,
            &[
                "container-unsigned",
                "container-finalized",
                "container-unsound",
                "unsupported-container",
                "mdoc-not-accepted",
                "archive-not-supported",
                "archive-incomplete",
                "idempotency-key-reused",
            ],
        ),
        (
            429,
            &["rate-limited", "reminder-too-soon", "quota-exceeded"],
        ),
        (431, &["headers-too-large"]),
        (503, &["unavailable"]),
    ];
    for (status, names) in by_status {
        let found: Vec<_> = ProblemKind::ALL
            .iter()
            .filter(|kind| kind.status().as_u16() == status)
            .map(|kind| kind.name())
            .collect();
        assert_eq!(found, names, "{status}");
    }
}

#[test]
fn a_problem_with_one_member_says_the_same_in_both_places() {
    let problem = Problem::at(
        ProblemKind::DocumentRefused,
        "/document/content",
        "The PDF is encrypted.",
    );
    assert_eq!(problem.detail(), "The PDF is encrypted.");
    assert_eq!(problem.errors()[0].pointer, "/document/content");
    assert_eq!(problem.errors()[0].detail, "The PDF is encrypted.");
}
