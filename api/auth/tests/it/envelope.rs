//! Refusals, in the envelope of this API.

use parafa_api_auth::ErrorCode;
use serde_json::{Value, json};

use crate::fake::{AUDIENCE, CLIENT, KNOWN, OUT_OF_ORDER, PROVIDER, ask, creation, request};

const REQUESTS: &str = "/v1/auth/requests";
const BY_PROVIDER: (&str, &str) = ("authorization", PROVIDER);
const BY_CLIENT: (&str, &str) = ("authorization", CLIENT);

async fn refusal(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Value {
    let answer = ask(request(method, path, headers, body)).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let mut value = answer.json();
    let error = value["error"].as_object().unwrap();
    let members: Vec<_> = error.keys().map(String::as_str).collect();
    assert_eq!(members, ["code", "message", "requestId", "retryable"]);
    value["status"] = answer.status.as_u16().into();
    value
}

#[tokio::test]
async fn all_faults_of_a_body_are_told_in_one_message() {
    let body = json!({"audience": 7, "method": "fax", "more": true});

    let refused = refusal("POST", REQUESTS, &[BY_PROVIDER], Some(&body)).await;

    assert_eq!(refused["status"], 422);
    assert_eq!(refused["error"]["code"], "invalid_request");
    assert_eq!(refused["error"]["retryable"], false);
    let message = refused["error"]["message"].as_str().unwrap();
    for pointer in ["/audience", "/method", "/more"] {
        assert!(message.contains(pointer), "{message}");
    }
}

#[tokio::test]
async fn each_method_asks_for_what_it_needs() {
    let with = |method: &str, members: Value| {
        let mut body = json!({"audience": AUDIENCE, "method": method});
        body.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        body
    };
    let code = "40504040001";
    for (method, members, fault) in [
        ("mobile_id", json!({}), "/personalCode is required"),
        (
            "smart_id",
            json!({"personalCode": code, "returnUrl": AUDIENCE}),
            "/returnUrl",
        ),
        ("physical", json!({"returnUrl": AUDIENCE}), "/returnUrl"),
        (
            "smart_id",
            json!({"returnUrl": "https://shop.example.evil/"}),
            "/returnUrl",
        ),
        (
            "mobile_id",
            json!({"personalCode": code}),
            "/phoneNumber is required",
        ),
        (
            "mobile_id",
            json!({"personalCode": code, "phoneNumber": "860000000"}),
            "/phoneNumber",
        ),
        ("smart_id", json!({"personalCode": "1"}), "/personalCode"),
        (
            "physical",
            json!({"phoneNumber": "+37060000666"}),
            "/phoneNumber must not be given",
        ),
    ] {
        let body = with(method, members);
        let refused = refusal("POST", REQUESTS, &[BY_PROVIDER], Some(&body)).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(fault), "{message}");
    }
    for (method, members) in [
        ("smart_id", json!({"personalCode": code})),
        ("smart_id", json!({})),
        (
            "smart_id",
            json!({"returnUrl": format!("{AUDIENCE}?step=2")}),
        ),
        (
            "mobile_id",
            json!({"personalCode": code, "phoneNumber": "+37060000666"}),
        ),
        ("physical", json!({"personalCode": code})),
        ("nfc", json!({})),
    ] {
        let body = with(method, members);
        let answer = ask(request("POST", REQUESTS, &[BY_PROVIDER], Some(&body))).await;
        assert_eq!(answer.status, 201, "{body}");
        assert!(answer.header("location").ends_with(KNOWN));
    }
}

#[tokio::test]
async fn the_request_of_the_path_is_named_or_else_the_http_request() {
    let path = format!("/v1/auth/{KNOWN}/certificate");
    let own = "0190b5a8-0000-7000-8000-000000000001";
    let id = ("x-request-id", own);

    let of_path = refusal("POST", &path, &[id], None).await;
    let of_request = refusal("POST", REQUESTS, &[id], None).await;
    let no_uuid = ask(request("POST", REQUESTS, &[("x-request-id", "mine")], None)).await;

    assert_eq!(of_path["error"]["requestId"], KNOWN);
    assert_eq!(of_request["error"]["requestId"], own);
    assert_eq!(no_uuid.header("x-request-id"), "mine");
    let body = no_uuid.json();
    assert_eq!(
        body["error"]["requestId"],
        "3fd30542-fe3f-81b1-8bd4-a4b2dc0b6fb3"
    );
}

#[tokio::test]
async fn what_every_api_refuses_has_its_code_here() {
    let certificate = format!("/v1/auth/{KNOWN}/certificate");
    let text = ("content-type", "text/plain");
    let key = ("idempotency-key", "used");
    let long = json!({"certificate": "A".repeat(80 * 1024)});
    for (method, path, headers, body, status, code) in [
        (
            "PUT",
            REQUESTS,
            vec![BY_PROVIDER],
            None,
            405,
            "method_not_allowed",
        ),
        (
            "POST",
            REQUESTS,
            vec![BY_PROVIDER, text],
            None,
            415,
            "unsupported_media_type",
        ),
        (
            "POST",
            certificate.as_str(),
            vec![BY_CLIENT],
            Some(&long),
            413,
            "payload_too_large",
        ),
        (
            "GET",
            "/v1/auth/nothing",
            vec![BY_PROVIDER],
            None,
            404,
            "not_found",
        ),
        (
            "POST",
            REQUESTS,
            vec![BY_PROVIDER, key],
            Some(&creation()),
            409,
            "idempotency_conflict",
        ),
    ] {
        let refused = refusal(method, path, &headers, body).await;
        assert_eq!(
            (&refused["status"], &refused["error"]["code"]),
            (&status.into(), &code.into())
        );
    }
}

#[tokio::test]
async fn what_may_be_answered_otherwise_later_is_said_to_be_retryable() {
    let certificate = format!("/v1/auth/{KNOWN}/certificate");
    let body = json!({"certificate": "AAAAAAAA"});
    let untold = refusal("POST", &certificate, &[BY_CLIENT], Some(&body)).await;
    assert_eq!(untold["status"], 422);
    assert_eq!(untold["error"]["code"], "revocation_unavailable");
    assert_eq!(untold["error"]["retryable"], true);

    let body = json!({"code": OUT_OF_ORDER});
    let down = refusal("POST", "/v1/auth/pairings", &[], Some(&body)).await;
    assert_eq!(down["status"], 503);
    assert_eq!(down["error"]["code"], "upstream_unavailable");
    assert_eq!(down["error"]["retryable"], true);

    let retryable: Vec<_> = ErrorCode::ALL
        .iter()
        .filter(|code| code.is_retryable())
        .map(|code| code.name())
        .collect();
    assert_eq!(
        retryable,
        [
            "revocation_unavailable",
            "rate_limited",
            "upstream_unavailable"
        ]
    );
}

#[tokio::test]
async fn both_alphabets_of_base64_are_taken_with_and_without_padding_and_lines() {
    let certificate = format!("/v1/auth/{KNOWN}/certificate");
    for (text, is_taken) in [
        ("+/8=", true),
        ("-_8=", true),
        ("+/8", true),
        ("-_8", true),
        ("+/\r\n8=\r\n", true),
        ("+_8=", false),
        ("", false),
        ("a b=", false),
    ] {
        let body = json!({"certificate": text});
        let answer = ask(request("POST", &certificate, &[BY_CLIENT], Some(&body))).await;
        assert_eq!(answer.status.is_success(), is_taken, "{text}");
    }
}

#[tokio::test]
async fn an_app_that_comes_back_leads_where_the_person_began_and_made_up_returns_to_a_page() {
    let path = |query: &str| format!("/auth/return/{KNOWN}?{query}");
    let genuine = "value=value&sessionSecretDigest=digest&userChallengeVerifier=verifier";
    let leads_on = ask(request("GET", &path(genuine), &[], None)).await;
    assert_eq!(leads_on.status, 303);
    assert_eq!(
        leads_on.header("location"),
        format!("{AUDIENCE}/login?returnCode=code")
    );
    for made_up in [
        path(""),
        path("value=value&sessionSecretDigest=digest"),
        "/auth/return/none?value=value".to_owned(),
    ] {
        let page = ask(request("GET", &made_up, &[], None)).await;
        assert_eq!(page.status, 200, "{made_up}");
        assert!(page.header("content-type").starts_with("text/html"));
    }
}
