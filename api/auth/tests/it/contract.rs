//! Routes, description and authorization, checked against one list.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::fake::{CLIENT, KNOWN, OTHER, PROVIDER, UNKNOWN, ask, creation, request, service};
use crate::openapi::assert_sound;
use crate::reference_pages::assert_readable;

/// Kinds of callers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Provider,
    Client,
    Anybody,
}

/// Every call of the contract: method, path, caller, and a valid body.
fn calls() -> Vec<(&'static str, &'static str, By, Option<Value>)> {
    let completion = json!({
        "signature": "AAAA",
        "signatureAlgorithm": "ES256",
        "signatureEncoding": "P1363",
        "operationToken": "token",
    });
    vec![
        ("POST", "/v1/auth/requests", By::Provider, Some(creation())),
        ("GET", "/v1/auth/requests/{requestId}", By::Provider, None),
        (
            "DELETE",
            "/v1/auth/requests/{requestId}",
            By::Provider,
            None,
        ),
        ("GET", "/v1/auth/.well-known/jwks.json", By::Anybody, None),
        (
            "GET",
            "/.well-known/openid-configuration",
            By::Anybody,
            None,
        ),
        (
            "POST",
            "/v1/auth/{requestId}/certificate",
            By::Client,
            Some(json!({"certificate": "AAAA"})),
        ),
        (
            "POST",
            "/v1/auth/{requestId}/complete",
            By::Client,
            Some(completion),
        ),
        (
            "POST",
            "/v1/auth/pairings",
            By::Anybody,
            Some(json!({"code": "AAAA"})),
        ),
    ]
}

fn credentials(by: By) -> Option<&'static str> {
    match by {
        By::Provider => Some(PROVIDER),
        By::Client => Some(CLIENT),
        By::Anybody => None,
    }
}

async fn call(
    (method, path, body): (&str, &str, Option<&Value>),
    id: &str,
    credentials: Option<&str>,
) -> crate::fake::Answer {
    let path = path.replace("{requestId}", id);
    let headers: Vec<_> = credentials
        .map(|credentials| ("authorization", credentials))
        .into_iter()
        .collect();
    ask(request(method, &path, &headers, body)).await
}

async fn description() -> Value {
    ask(request("GET", "/auth/openapi.json", &[], None))
        .await
        .json()
}

#[tokio::test]
async fn every_call_and_schema_can_be_read_on_a_phone() {
    assert_readable(&service(), "/auth").await;
}

#[tokio::test]
async fn the_description_has_exactly_the_calls_of_the_contract() {
    let document = description().await;
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
        .map(|(method, path, ..)| (method.to_owned(), path.to_owned()))
        .collect();
    assert_eq!(described, contract);
}

#[tokio::test]
async fn every_call_is_answered_to_whom_it_is_for_as_it_is_described() {
    let document = description().await;
    for (method, path, by, body) in calls() {
        let answer = call((method, path, body.as_ref()), KNOWN, credentials(by)).await;
        let operation = &document["paths"][path][method.to_lowercase()];
        assert!(
            answer.status.is_success(),
            "{method} {path}: {}",
            answer.status
        );
        assert!(
            operation["responses"][answer.status.as_str()].is_object(),
            "{path}"
        );
        let security = match by {
            By::Provider => Value::Null,
            By::Client => json!([{"clientToken": []}]),
            By::Anybody => json!([]),
        };
        assert_eq!(operation["security"], security, "{method} {path}");
    }
}

#[tokio::test]
async fn no_call_is_answered_to_anybody_else() {
    for (method, path, by, body) in calls() {
        let wrong: &[Option<&str>] = match by {
            By::Anybody => continue,
            By::Provider => &[
                None,
                Some(CLIENT),
                Some("Basic eDp5"),
                Some("Basic a2V5Onk="),
            ],
            By::Client => &[None, Some(PROVIDER), Some("Bearer other"), Some("Bearer ")],
        };
        let (code, challenge) = match by {
            By::Client => ("invalid_client_token", "Bearer"),
            _ => ("unauthorized", r#"Basic realm="parafa""#),
        };
        for id in [KNOWN, UNKNOWN] {
            for credentials in wrong {
                let answer = call((method, path, body.as_ref()), id, *credentials).await;
                let expected = (401, code.to_owned());
                assert_eq!(answer.code(), expected, "{method} {path} {credentials:?}");
                assert_eq!(answer.header("www-authenticate"), challenge);
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found_and_a_token_is_for_its_own_request() {
    for (method, path, by, body) in calls() {
        if !path.contains("{requestId}") {
            continue;
        }
        let what = (method, path, body.as_ref());
        let unknown = call(what, UNKNOWN, credentials(by)).await;
        assert_eq!(unknown.code(), (404, "not_found".to_owned()), "{path}");
        let no_id = call(what, "none", credentials(by)).await;
        assert_eq!(no_id.code(), (404, "not_found".to_owned()), "{path}");
        let others = call(what, OTHER, credentials(by)).await;
        let expected = match by {
            By::Client => (401, "invalid_client_token".to_owned()),
            _ => (404, "not_found".to_owned()),
        };
        assert_eq!(others.code(), expected, "{path}");
        if matches!(by, By::Client) {
            assert_eq!(others.header("www-authenticate"), "Bearer", "{path}");
        }
    }
}

#[tokio::test]
async fn tools_and_generators_of_clients_can_work_with_the_description() {
    assert_sound(&description().await);
}

/// Every change of the description is visible in the file's diff. `INSTA_UPDATE=always cargo test
/// -p parafa-api-auth` updates it.
#[tokio::test]
async fn it_is_the_one_that_callers_know() {
    let answer = ask(request("GET", "/auth/openapi.yaml", &[], None)).await;
    insta::assert_snapshot!(
        "openapi",
        std::str::from_utf8(&answer.body).expect("YAML is a text")
    );
}
