//! Any input gets a success or a refusal, never a fault of the service.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{KNOWN, Service, json_request, minimal, set};

const NAMES: [&str; 25] = [
    "title",
    "document",
    "container",
    "signers",
    "delivery",
    "signingOrder",
    "webhookUrl",
    "externalId",
    "softDeadlineInDays",
    "expiresInDays",
    "name",
    "content",
    "fileToken",
    "flatten",
    "format",
    "files",
    "email",
    "methods",
    "action",
    "signerEmail",
    "reason",
    "before",
    "documents",
    "body",
    "authorLabel",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        prop::sample::select(vec![
            "link", "signer", "viewer", "nfc", "lt", "adoc", "a.pdf", "AAAA", "a@b.lt", KNOWN
        ])
        .prop_map(Value::from),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 48, 6, |inner| {
        let name = prop_oneof![4 => prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned), 1 => ".*"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn answered(body: Vec<u8>) -> (u16, Vec<u8>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let answer = runtime.block_on(async { Service::new().create_raw(body).await });
    (answer.status.as_u16(), answer.body.to_vec())
}

fn names_a_fault(refusal: &[u8]) -> bool {
    let problem: Value = serde_json::from_slice(refusal).unwrap();
    problem["errors"]
        .as_array()
        .is_some_and(|faults| !faults.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn arbitrary_json_is_taken_or_refused(body in json_value()) {
        let (status, answer) = answered(body.to_string().into_bytes());
        prop_assert!(status == 201 || status == 400, "{status}");
        prop_assert!(status == 201 || names_a_fault(&answer));
    }

    #[test]
    fn a_correct_request_with_one_arbitrary_member_is_taken_or_refused_by_a_pointer(
        pointer in prop::sample::select(vec![
            "/title", "/document", "/document/name", "/document/content", "/document/flatten", "/container",
            "/signers", "/signers/0", "/signers/0/email", "/signers/0/methods", "/signers/0/role", "/delivery",
            "/webhookUrl", "/externalId", "/expiresInDays",
        ]),
        value in json_value(),
    ) {
        let mut body = minimal();
        set(&mut body, pointer, value);
        let (status, answer) = answered(body.to_string().into_bytes());
        prop_assert!(status == 201 || status == 400, "{status}");
        prop_assert!(status == 201 || names_a_fault(&answer));
    }

    #[test]
    fn arbitrary_json_is_taken_or_refused_by_every_call(
        (method, path, success) in prop::sample::select(vec![
            ("PATCH", "", 200), ("POST", "/cancel", 200), ("POST", "/archive", 200),
            ("POST", "/simulate", 200), ("POST", "/signers", 201), ("POST", "/comments", 201),
            ("POST", "/v1/batches", 201), ("POST", "/v1/files", 201), ("POST", "/v1/erasure", 200),
        ]),
        body in json_value(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let path = match path.starts_with("/v1") {
            true => path.to_owned(),
            false => format!("/v1/signings/{KNOWN}{path}"),
        };
        let request = json_request(method, &path, "owner", body.to_string());
        let answer = runtime.block_on(async { Service::new().send(request).await });
        prop_assert!([success, 400].contains(&answer.status.as_u16()), "{}", answer.status);
        prop_assert!(answer.status.as_u16() == success || names_a_fault(&answer.body));
    }

    #[test]
    fn arbitrary_bytes_are_refused(body in prop::collection::vec(any::<u8>(), 0..256)) {
        let (status, _) = answered(body);
        prop_assert_eq!(status, 400);
    }

    #[test]
    fn arbitrary_queries_are_taken_or_refused(query in "[a-zA-Z0-9=&%+/~]{0,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(async { Service::new().get(&format!("/v1/signings?{query}")).await });
        prop_assert!([200, 400].contains(&answer.status.as_u16()));
    }
}

#[tokio::test]
async fn a_flood_of_faults_is_cut_and_the_rest_is_counted() {
    let members: Map<_, _> = (0..5000).map(|n| (format!("m{n}"), json!(n))).collect();
    let answer = Service::new().create(&Value::Object(members)).await;
    let faults = answer.faults();
    assert_eq!(faults.len(), 1001);
    // All members, and three that are missing.
    let more = "has more faults like these: 4003";
    assert_eq!(faults.last(), Some(&(String::new(), more.to_owned())));
}
