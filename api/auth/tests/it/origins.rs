//! Calls that pages make.

use serde_json::json;

use crate::fake::{AUDIENCE, CLIENT, KNOWN, UNKNOWN, ask, request};

fn certificate(id: &str) -> String {
    format!("/v1/auth/{id}/certificate")
}

#[tokio::test]
async fn pages_of_the_audience_may_make_a_clients_calls() {
    let path = certificate(KNOWN);
    let headers = [
        ("origin", AUDIENCE),
        ("access-control-request-method", "POST"),
        (
            "access-control-request-headers",
            "authorization,content-type",
        ),
    ];

    let asked = ask(request("OPTIONS", &path, &headers, None)).await;

    assert_eq!(asked.status, 204);
    assert_eq!(asked.header("access-control-allow-origin"), AUDIENCE);
    assert_eq!(asked.header("access-control-allow-methods"), "POST");
    assert!(
        asked
            .header("access-control-allow-headers")
            .contains("authorization")
    );

    let body = json!({"certificate": "AAAA"});
    let headers = [("origin", AUDIENCE), ("authorization", CLIENT)];
    let made = ask(request("POST", &path, &headers, Some(&body))).await;
    assert_eq!(made.status, 200);
    assert_eq!(made.header("access-control-allow-origin"), AUDIENCE);
    assert_eq!(made.header("vary"), "origin");
    let refused = ask(request("POST", &path, &headers[..1], Some(&body))).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.header("access-control-allow-origin"),
        AUDIENCE,
        "the page may read why"
    );
}

#[tokio::test]
async fn pages_of_others_may_not() {
    let body = json!({"certificate": "AAAA"});
    for origin in [
        "https://evil.example",
        "null",
        "https://shop.example.evil",
        "https://Shop.example",
    ] {
        let path = certificate(KNOWN);
        let headers = [("origin", origin), ("authorization", CLIENT)];
        let made = ask(request("POST", &path, &headers, Some(&body))).await;
        assert_eq!(
            made.code(),
            (403, "forbidden_origin".to_owned()),
            "{origin}"
        );
        assert_eq!(made.header("access-control-allow-origin"), "");
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
        ];
        let asked = ask(request("OPTIONS", &path, &headers, None)).await;
        assert_eq!(asked.header("access-control-allow-origin"), "");
        assert!(!asked.status.is_success());
    }
}

#[tokio::test]
async fn nobodys_request_admits_no_page_and_a_providers_calls_none_either() {
    let headers = [
        ("origin", AUDIENCE),
        ("access-control-request-method", "POST"),
    ];
    for path in [certificate(UNKNOWN), "/v1/auth/requests".to_owned()] {
        let asked = ask(request("OPTIONS", &path, &headers, None)).await;
        assert_eq!(asked.header("access-control-allow-origin"), "", "{path}");
        assert!(!asked.status.is_success(), "{path}");
    }
}

#[tokio::test]
async fn a_reader_that_is_no_page_sends_no_origin() {
    let body = json!({"certificate": "AAAA"});
    let headers = [("authorization", CLIENT)];
    let made = ask(request("POST", &certificate(KNOWN), &headers, Some(&body))).await;
    assert_eq!(made.status, 200);
    assert_eq!(made.header("vary"), "origin");
}
