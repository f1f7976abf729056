//! The OpenAPI document and its pages. `tests/it/schemathesis.rs` checks the running server against
//! it.

use axum::body::Body;
use serde_json::Value;

use crate::openapi::{assert_sound, faults};
use crate::reference_pages::assert_readable;
use crate::support::{BATCH, DELIVERY, FILE, KNOWN, SIGNER, Service, json_request};

async fn document() -> Value {
    Service::new().get("/openapi.json").await.json()
}

#[tokio::test]
async fn it_is_of_the_versions_that_are_promised() {
    let document = document().await;
    assert_eq!(document["openapi"], "3.1.1");
    assert_eq!(document["info"]["version"], "1.2.1");
    assert_eq!(document["servers"][0]["url"], "https://sign.example");
}

#[tokio::test]
async fn tools_and_generators_of_clients_can_work_with_it() {
    assert_sound(&document().await);
}

#[tokio::test]
async fn every_answer_has_the_members_of_its_schema() {
    let service = Service::new();
    let document = document().await;
    for (path, item) in document["paths"].as_object().unwrap() {
        let address = path
            .replace("{signingId}", KNOWN)
            .replace("{signerId}", SIGNER)
            .replace("{batchId}", BATCH)
            .replace("{fileToken}", FILE)
            .replace("{deliveryId}", DELIVERY);
        for (method, operation) in item.as_object().unwrap() {
            if method == "parameters" {
                continue;
            }
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = match example {
                Value::Null => Body::empty(),
                example => Body::from(example.to_string()),
            };
            let method = method.to_uppercase();
            let answer = service
                .send(json_request(&method, &address, "owner", body))
                .await;
            assert!(
                answer.status.is_success(),
                "{method} {path}: {}",
                answer.status
            );
            let described = &operation["responses"][answer.status.as_str()]["content"];
            let schema = &described["application/json"]["schema"];
            if !schema.is_null() {
                let found = faults(&document, schema, &answer.json(), path);
                assert!(found.is_empty(), "{found:#?}");
            }
        }
    }
}

#[tokio::test]
async fn what_was_created_links_to_the_calls_on_it() {
    let document = document().await;
    let created = |path: &str| {
        let pointer = format!(
            "/paths/{}/post/responses/201/links",
            path.replace('/', "~1")
        );
        document.pointer(&pointer).unwrap().clone()
    };

    assert_eq!(
        created("/v1/signings")["remindSigner"],
        serde_json::json!({
            "operationId": "remindSigner",
            "parameters": {
                "signingId": "$response.body#/signingId",
                "signerId": "$response.body#/signers/0/signerId",
            },
        })
    );
    assert_eq!(
        created("/v1/signings/{signingId}/signers")["removeSigner"]["parameters"]["signingId"],
        "$request.path.signingId"
    );
    let of_file = created("/v1/files");
    let names: Vec<_> = of_file.as_object().unwrap().keys().collect();
    assert_eq!(names, ["readFile", "deleteFile"]);
}

#[tokio::test]
async fn every_kind_of_event_is_described() {
    let document = document().await;
    let webhooks = document["webhooks"].as_object().unwrap();
    let names: Vec<_> = webhooks.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "signing.signer_signed",
            "signing.signer_declined",
            "signing.completed",
            "signing.declined",
            "signing.cancelled",
            "signing.expired",
            "signing.failed"
        ]
    );
    for (name, webhook) in webhooks {
        let example = &webhook["post"]["requestBody"]["content"]["application/json"]["example"];
        assert_eq!(example["event"], name.as_str());
    }
}

#[tokio::test]
async fn whoever_has_it_already_is_told_so() {
    let service = Service::new();
    for (path, media_type) in [
        ("/openapi.json", "application/json"),
        ("/openapi.yaml", "application/yaml"),
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.header("content-type"), media_type);
        let again = http::Request::builder()
            .uri(path)
            .header("if-none-match", answer.header("etag"))
            .body(Body::empty())
            .unwrap();
        let again = service.send(again).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    }
}

#[tokio::test]
async fn the_guide_says_what_is_set_up_and_loads_nothing_of_others() {
    let answer = Service::new().get("/docs/guide").await;
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    let page = std::str::from_utf8(&answer.body).unwrap();
    for set_up in ["<td>.pdf</td>", "<td>nfc, smart_id</td>", "<td>none</td>"] {
        assert!(page.contains(set_up), "{set_up}");
    }
    for address in page.split('"').filter(|text| text.starts_with("http")) {
        assert!(address.starts_with("https://sign.example"), "{address}");
    }
    for foreign in ["<script", "<style", "style=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[tokio::test]
async fn every_call_event_and_schema_can_be_read_on_a_phone() {
    assert_readable(&Service::new().router, "").await;
}

#[tokio::test]
async fn the_document_of_the_guide_is_a_pdf() {
    let answer = Service::new().get("/docs/contract.pdf").await;

    assert_eq!(answer.header("content-type"), "application/pdf");
    assert!(answer.body.starts_with(b"%PDF-"));
}

#[tokio::test]
async fn the_guide_names_this_service() {
    let service = Service::new();
    let guide = service.get("/docs/guide").await;

    let guide = std::str::from_utf8(&guide.body).unwrap();
    assert!(guide.contains("BASE=https://sign.example\n"), "{guide}");
}

/// Every change of the description is visible in the file's diff. `INSTA_UPDATE=always cargo test
/// -p parafa-api-signing` updates it.
#[tokio::test]
async fn it_is_the_one_that_callers_know() {
    let answer = Service::new().get("/openapi.yaml").await;
    insta::assert_snapshot!(
        "openapi",
        std::str::from_utf8(&answer.body).expect("YAML is a text")
    );
}
