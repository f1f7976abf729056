//! Routes, description and authorization, checked against one list.

use std::collections::BTreeSet;

use axum::body::Body;
use parafa_api_signing::ProblemKind;
use serde_json::{Value, json};

use crate::support::{
    Answer, BATCH, DELIVERY, ERASED, FILE, KNOWN, SIGNER, Service, UNKNOWN, base64, json_request,
    minimal, request,
};

/// Every call of the contract: method, path, and a valid body.
fn calls() -> Vec<(&'static str, &'static str, Option<Value>)> {
    let batch = json!({
        "title": "Nuomos sutartys",
        "documents": [{"name": "a.pdf", "content": base64(b"%PDF-1.7")}],
        "signers": [{"email": "jonas@example.lt"}],
    });
    let file = json!({"name": "a.pdf", "content": base64(b"%PDF-1.7")});
    vec![
        ("GET", "/v1/capabilities", None),
        ("GET", "/v1/signings", None),
        ("POST", "/v1/signings", Some(minimal())),
        ("GET", "/v1/signings/{signingId}", None),
        (
            "PATCH",
            "/v1/signings/{signingId}",
            Some(json!({"expiresInDays": 3})),
        ),
        ("DELETE", "/v1/signings/{signingId}", None),
        ("POST", "/v1/erasure", Some(json!({}))),
        ("POST", "/v1/signings/{signingId}/cancel", Some(json!({}))),
        ("GET", "/v1/signings/{signingId}/document", None),
        ("POST", "/v1/signings/{signingId}/archive", Some(json!({}))),
        ("GET", "/v1/signings/{signingId}/evidence", None),
        (
            "POST",
            "/v1/signings/{signingId}/simulate",
            Some(json!({"action": "complete"})),
        ),
        (
            "POST",
            "/v1/signings/{signingId}/signers",
            Some(json!({"email": "ona@example.lt"})),
        ),
        (
            "PATCH",
            "/v1/signings/{signingId}/signers/{signerId}",
            Some(json!({"methods": ["nfc"]})),
        ),
        (
            "DELETE",
            "/v1/signings/{signingId}/signers/{signerId}",
            None,
        ),
        (
            "POST",
            "/v1/signings/{signingId}/signers/{signerId}/remind",
            Some(json!({})),
        ),
        ("POST", "/v1/batches", Some(batch)),
        ("GET", "/v1/batches/{batchId}", None),
        ("POST", "/v1/files", Some(file)),
        ("GET", "/v1/files/{fileToken}", None),
        ("DELETE", "/v1/files/{fileToken}", None),
        ("GET", "/v1/signings/{signingId}/comments", None),
        (
            "POST",
            "/v1/signings/{signingId}/comments",
            Some(json!({"body": "Laukiame."})),
        ),
        ("GET", "/v1/deliveries", None),
        (
            "POST",
            "/v1/deliveries",
            Some(json!({"webhookUrl": "https://caller.example/hooks"})),
        ),
        ("GET", "/v1/deliveries/{deliveryId}", None),
        (
            "POST",
            "/v1/deliveries/{deliveryId}/resend",
            Some(json!({})),
        ),
    ]
}

fn filled(path: &str, signing: &str) -> String {
    path.replace("{signingId}", signing)
        .replace("{signerId}", SIGNER)
        .replace("{batchId}", BATCH)
        .replace("{fileToken}", FILE)
        .replace("{deliveryId}", DELIVERY)
}

async fn call(
    service: &Service,
    method: &str,
    path: &str,
    key: &str,
    body: Option<&Value>,
) -> Answer {
    let call = match body {
        Some(body) => json_request(method, path, key, body.to_string()),
        None => request(method, path, key).body(Body::empty()).unwrap(),
    };
    service.send(call).await
}

#[tokio::test]
async fn the_description_has_exactly_the_calls_of_the_contract() {
    let document = Service::new().get("/openapi.json").await.json();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            if method != "parameters" {
                described.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    let contract: BTreeSet<_> = calls()
        .into_iter()
        .map(|(method, path, _)| (method.to_owned(), path.to_owned()))
        .collect();
    assert_eq!(described, contract);
}

#[tokio::test]
async fn every_call_is_routed_and_answers_what_is_described() {
    let service = Service::new();
    let document = service.get("/openapi.json").await.json();
    for (method, path, body) in calls() {
        let answer = call(
            &service,
            method,
            &filled(path, KNOWN),
            "owner",
            body.as_ref(),
        )
        .await;
        let responses = &document["paths"][path][method.to_lowercase()]["responses"];
        let described = &responses[answer.status.as_str()];
        assert!(answer.status.is_success(), "{method} {path}");
        assert!(described.is_object(), "{method} {path}: {}", answer.status);
        let media_types: Vec<_> = described["content"]
            .as_object()
            .into_iter()
            .flat_map(|content| content.keys().cloned())
            .collect();
        match media_types.as_slice() {
            [] => assert!(answer.body.is_empty(), "{method} {path}"),
            described => {
                let given = answer.header("content-type");
                assert!(described.iter().any(|it| it == given), "{path}: {given}");
            }
        }
        for header in ["x-request-id", "ratelimit", "ratelimit-policy"] {
            assert!(
                !answer.header(header).is_empty(),
                "{method} {path}: {header}"
            );
        }
        assert_eq!(
            answer.header("cache-control"),
            "no-store",
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn every_other_method_is_refused() {
    let service = Service::new();
    let paths: BTreeSet<_> = calls().into_iter().map(|(_, path, _)| path).collect();
    for path in paths {
        let mut allowed: BTreeSet<_> = calls()
            .into_iter()
            .filter(|(_, known, _)| *known == path)
            .map(|(method, ..)| method)
            .collect();
        if allowed.contains("GET") {
            allowed.insert("HEAD");
        }
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            if !allowed.contains(method) {
                let answer = call(&service, method, &filled(path, KNOWN), "owner", None).await;
                assert_eq!(
                    answer.problem(),
                    ProblemKind::MethodNotAllowed,
                    "{method} {path}"
                );
                let told: BTreeSet<_> = answer.header("allow").split(',').map(str::trim).collect();
                assert_eq!(told, allowed, "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn no_call_is_open_without_a_key_that_works() {
    let service = Service::new();
    for (method, path, body) in calls() {
        let path = filled(path, KNOWN);
        let wrong = call(&service, method, &path, "wrong", body.as_ref()).await;
        assert_eq!(
            wrong.problem(),
            ProblemKind::Unauthorized,
            "{method} {path}"
        );
        assert_eq!(wrong.header("www-authenticate"), "Bearer");
        let none = http::Request::builder().method(method).uri(&path);
        let none = service.send(none.body(Body::empty()).unwrap()).await;
        assert_eq!(none.problem(), ProblemKind::Unauthorized, "{method} {path}");
        assert_eq!(none.header("www-authenticate"), "Bearer");
    }
    assert!(service.fake.plain_calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn other_workspaces_and_the_other_mode_find_nothing() {
    let service = Service::new();
    for (method, path, body) in calls()
        .into_iter()
        .filter(|(_, path, _)| path.contains('{'))
    {
        for key in ["other", "live"] {
            let answer = call(&service, method, &filled(path, KNOWN), key, body.as_ref()).await;
            let expected = match path.ends_with("/simulate") && key == "live" {
                true => ProblemKind::SandboxOnly,
                false => ProblemKind::NotFound,
            };
            assert_eq!(answer.problem(), expected, "{method} {path} as {key}");
        }
    }
}

#[tokio::test]
async fn a_viewer_may_call_nothing_but_what_reads() {
    let service = Service::new();
    for (method, path, body) in calls() {
        let answer = call(
            &service,
            method,
            &filled(path, KNOWN),
            "viewer",
            body.as_ref(),
        )
        .await;
        match method {
            "GET" => {
                let head = call(&service, "HEAD", &filled(path, KNOWN), "viewer", None).await;
                assert_eq!(answer.status, 200, "{path}");
                assert_eq!(head.status, 200, "HEAD {path}");
            }
            _ => assert_eq!(answer.problem(), ProblemKind::Forbidden, "{method} {path}"),
        }
    }
}

#[tokio::test]
async fn an_id_of_nothing_comes_before_the_body_and_the_query() {
    let service = Service::new();
    for (method, path, _) in calls()
        .into_iter()
        .filter(|(_, path, _)| path.contains('{'))
    {
        for id in [UNKNOWN, "7", "%FF", "0190b5a87c3e7d7b8f6e2a1b3c4d5e6f"] {
            let path = format!(
                "{}?x=1",
                path.replace("{signingId}", id)
                    .replace("{signerId}", SIGNER)
                    .replace("{batchId}", id)
                    .replace("{fileToken}", id)
                    .replace("{deliveryId}", id)
            );
            let wrong = request(method, &path, "owner").header("content-type", "text/plain");
            let answer = service.send(wrong.body(Body::from("{")).unwrap()).await;
            assert_eq!(answer.problem(), ProblemKind::NotFound, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn an_erased_signing_answers_only_what_is_left() {
    let service = Service::new();
    for (method, path, body) in calls()
        .into_iter()
        .filter(|(_, path, _)| path.contains("{signingId}"))
    {
        let answer = call(
            &service,
            method,
            &filled(path, ERASED),
            "owner",
            body.as_ref(),
        )
        .await;
        let answers = matches!(
            (method, path),
            ("GET" | "DELETE", "/v1/signings/{signingId}")
                | ("GET", "/v1/signings/{signingId}/comments")
        );
        match answers {
            true => assert_eq!(answer.status, 200, "{method} {path}"),
            false => {
                assert_eq!(answer.problem(), ProblemKind::NotFound, "{method} {path}");
                let detail = answer.json()["detail"].to_string();
                assert!(detail.contains("was erased"), "{method} {path}: {detail}");
            }
        }
    }
}

#[tokio::test]
async fn calls_without_parameters_refuse_them() {
    let service = Service::new();
    for (method, path, body) in calls() {
        let path = format!("{}?x=1&x=2", filled(path, KNOWN));
        let answer = call(&service, method, &path, "owner", body.as_ref()).await;
        let pointers: Vec<_> = answer.faults().into_iter().map(|(at, _)| at).collect();
        assert_eq!(pointers, ["/x", "/x"], "{method} {path}");
    }
}

#[tokio::test]
async fn bodies_have_the_media_type_and_the_size_that_are_described() {
    let service = Service::with(|config| {
        config.max_body_bytes = 8;
        config.max_batch_body_bytes = 8;
    });
    for (method, path, body) in calls().into_iter().filter(|(.., body)| body.is_some()) {
        let path = filled(path, KNOWN);
        let text = "{\"much too long\":1}";
        let plain = request(method, &path, "owner").header("content-type", "text/plain");
        let answer = service.send(plain.body(Body::from(text)).unwrap()).await;
        assert_eq!(
            answer.problem(),
            ProblemKind::UnsupportedMediaType,
            "{method} {path} {body:?}"
        );
        let mut two = json_request(method, &path, "owner", text);
        let other = "text/plain".parse().unwrap();
        two.headers_mut().append("content-type", other);
        let answer = service.send(two).await;
        assert_eq!(
            answer.problem(),
            ProblemKind::UnsupportedMediaType,
            "{method} {path}: two types"
        );
        let answer = service
            .send(json_request(method, &path, "owner", text))
            .await;
        assert_eq!(
            answer.problem(),
            ProblemKind::PayloadTooLarge,
            "{method} {path}"
        );
    }
}
