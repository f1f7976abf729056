//! Several faults at once.

use parafa_api_signing::ProblemKind;
use serde_json::{Value, json};

use crate::support::{Service, with, without};

#[tokio::test]
async fn all_faults_come_at_once_in_the_order_of_the_document() {
    let service = Service::new();
    let body = r#"{
        "expiresInDays": 99,
        "a/b~c": 1,
        "signers": [
            {"name": 5, "email": "x"},
            {"email": "viewer@example.lt", "role": "viewer", "methods": ["nfc"]},
            {"role": "chief"}
        ],
        "delivery": null,
        "document": {"flatten": 1, "name": "a"},
        "delivery": "link"
    }"#;
    let pointers: Vec<_> = service
        .create_raw(body)
        .await
        .faults()
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(
        pointers,
        [
            "/expiresInDays",
            "/a~1b~0c",
            "/signers/0/name",
            "/signers/0/email",
            "/signers/1/methods",
            "/signers/2/role",
            "/signers/2/email",
            "/delivery",
            "/document/flatten",
            "/document/name",
            "/document/content",
            "/delivery",
            "/title",
        ]
    );
    assert!(service.fake.created.lock().unwrap().is_empty());
}

#[tokio::test]
async fn faults_of_the_query_come_with_those_of_the_body() {
    let service = Service::new();
    let request = crate::support::json_request(
        "POST",
        "/v1/signings?dryRun=1",
        "owner",
        without("/title").to_string(),
    );
    let answer = service.send(request).await;
    let pointers: Vec<_> = answer
        .faults()
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(pointers, ["/dryRun", "/title"]);
}

#[tokio::test]
async fn a_body_that_is_no_object_has_one_fault_at_the_root() {
    let service = Service::new();
    for (body, detail) in [
        ("", "must be a JSON object, but is empty"),
        ("[]", "must be an object, but is an array"),
        ("null", "must be an object, but is null"),
    ] {
        assert_eq!(
            service.create_raw(body).await.faults(),
            [(String::new(), detail.to_owned())]
        );
    }
    for body in [
        "{",
        "{\"title\": \"\\ud800\"}",
        "{} x",
        "{'title': 1}",
        "\u{FEFF}{}",
    ] {
        let faults = service.create_raw(body).await.faults();
        let [(pointer, detail)] = faults.as_slice() else {
            panic!("{body}: {faults:?}")
        };
        assert!(
            pointer.is_empty() && detail.starts_with("is not readable as JSON: "),
            "{body}: {detail}"
        );
    }
    assert_eq!(
        service.create_raw("[".repeat(1000)).await.problem(),
        ProblemKind::ValidationFailed
    );
    assert_eq!(
        service
            .create_raw(&b"{\"title\": \"\xFF\"}"[..])
            .await
            .problem(),
        ProblemKind::ValidationFailed
    );
}

#[tokio::test]
async fn a_list_that_is_too_long_hides_no_fault_in_it() {
    let service = Service::new();
    let mut signers: Vec<Value> = (0..21)
        .map(|number| json!({"email": format!("s{number}@example.lt"), "role": "viewer"}))
        .collect();
    signers[3] = json!({"email": "s3"});
    signers[20] = json!({"email": "S5@example.lt"});
    let methods = json!(["nfc", "smart_id", "nfc", "mobile_id"]);
    signers[4] = json!({"email": "s4@example.lt", "methods": methods});

    let pointers = service.pointers(&with("/signers", json!(signers))).await;

    assert_eq!(
        pointers,
        [
            "/signers",
            "/signers/3/email",
            "/signers/4/methods",
            "/signers/4/methods/2",
            "/signers/20/email",
        ]
    );
}
