//! Operator's log of calls for register data: subject, purpose, outcome, and
//! the reference that the caller has too.

use std::collections::BTreeSet;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::orders::PACKAGES;
use super::{Answered, DiligenceCaller, answered, exported};
use crate::agents;
use crate::support::demo::Demo;
use crate::support::operator::refused;

/// All members of a line.
const MEMBERS: [&str; 10] = [
    "at",
    "charged",
    "interpreted",
    "item",
    "outcome",
    "purpose",
    "rawSha256",
    "ref",
    "subject",
    "tier",
];

fn request_id(headers: &HeaderMap) -> String {
    let id = headers.get("x-request-id").expect("an id");
    id.to_str().expect("ASCII").to_owned()
}

async fn get_as(caller: &DiligenceCaller<'_>, id: &str, path: &str) -> Answered {
    answered(caller.request(Method::GET, path).header("x-request-id", id)).await
}

#[tokio::test]
async fn calls_are_exported_with_the_reference_that_caller_and_ledger_have() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let report = "/v1/entities/999000009/dd-report?purpose=AML_KYC&interpret=1&sign=jades-t";
    let report = live.get(report).await;
    let named = get_as(&live, "case-2026/17", "/v1/entities/999000009/seizures").await;
    let nothing = live.get("/v1/entities/999000088/seizures").await;
    let down = live.get("/v1/entities/999000184/seizures").await;
    let extract = live
        .get("/v1/real-estate/4400-9990-0001?format=asice")
        .await;
    let bearer = format!("Bearer {}", demo.world.diligence.live);
    let cases = json!({"name": "get_court_cases", "arguments": {"entityCode": "999000009"}});
    let agent = agents::call(&demo, cases, &[("authorization", &bearer)]).await;

    let calls = exported(&demo, "calls", &[]);

    let mut asked = Vec::new();
    for answer in [&report, &named, &nothing, &down, &extract] {
        asked.push(request_id(&answer.headers));
    }
    assert_eq!(asked[1], "case-2026/17");
    asked.push(request_id(agent.headers()));
    let references: Vec<_> = calls.iter().map(|call| call["ref"].clone()).collect();
    assert_eq!(json!(references), json!(asked), "{calls:?}");
    let lines: Vec<_> = calls
        .iter()
        .map(|call| {
            let members = call.as_object().expect("an object").keys();
            let members: BTreeSet<_> = members.map(String::as_str).collect();
            assert_eq!(members, BTreeSet::from(MEMBERS));
            let answers = call["rawSha256"].as_array().expect("digests").len();
            json!([
                call["item"],
                call["subject"],
                call["purpose"],
                call["outcome"],
                answers,
                call["tier"],
                call["interpreted"],
                call["charged"],
            ])
        })
        .collect();
    let object = "4400-9990-0001";
    assert_eq!(
        lines,
        [
            json!([
                "report",
                "999000009",
                "AML_KYC",
                "answered",
                6,
                "jades-t",
                true,
                "3.07"
            ]),
            json!([
                "seizures",
                "999000009",
                null,
                "answered",
                1,
                "json",
                false,
                "0.70"
            ]),
            json!([
                "seizures",
                "999000088",
                null,
                "no_data",
                1,
                "json",
                false,
                "0.00"
            ]),
            json!([
                "seizures",
                "999000184",
                null,
                "upstream_unavailable",
                0,
                "json",
                false,
                "0.00"
            ]),
            json!([
                "property_extract",
                object,
                null,
                "answered",
                1,
                "asice",
                false,
                "5.19"
            ]),
            json!([
                "cases",
                "999000009",
                null,
                "answered",
                1,
                "json",
                false,
                "0.10"
            ]),
        ]
    );
    let used = exported(&demo, "usage", &[]);
    let billed: Vec<_> = calls
        .iter()
        .filter(|call| call["charged"] != "0.00")
        .collect();
    assert_eq!(used.len(), billed.len());
    for (used, call) in used.iter().zip(billed) {
        for member in ["ref", "item", "tier", "interpreted"] {
            assert_eq!(used[member], call[member], "{member}");
        }
        assert_eq!(used["amount"], call["charged"]);
    }
    let signed: Value = report.json();
    assert!(signed["payload"].is_string(), "the report was signed");
}

#[tokio::test]
async fn calls_are_picked_by_subject_and_time_and_an_order_is_told_by_its_id() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let order =
        |role| json!({"entityCode": "999000009", "subjectRole": role, "purpose": "AML_KYC"});
    let ordered = live.post(PACKAGES, order("manager")).await;
    let refusal = live.post(PACKAGES, order("liquidator")).await;
    refusal.assert_refused(422, "role-not-held");
    live.get("/v1/entities/999000017").await;
    live.get("/v1/real-estate/4400-9990-0001").await;

    let about = exported(&demo, "calls", &["--subject", "999000009"]);

    let expected = [
        ordered.json()["orderId"].clone(),
        request_id(&refusal.headers).into(),
    ];
    let references: Vec<_> = about.iter().map(|call| call["ref"].clone()).collect();
    assert_eq!(references, expected);
    for call in &about {
        assert_eq!(call["item"], "identification_package");
        assert_eq!(
            (&call["tier"], &call["interpreted"]),
            (&Value::Null, &Value::Null)
        );
    }
    let object = exported(&demo, "calls", &["--subject", "440099900001"]);
    assert_eq!(object[0]["subject"], "4400-9990-0001");
    let all = exported(&demo, "calls", &[]);
    assert_eq!(all.len(), 4);
    let since = all[2]["at"].as_str().expect("a time");
    assert_eq!(exported(&demo, "calls", &["--since", since]), all[2..]);
    assert!(exported(&demo, "calls", &["--since", "2100-01-01T00:00:00Z"]).is_empty());
    let nobody = refused(&demo.data(), &["calls", "export", "Nobody"]);
    assert!(nobody.contains("Nobody"), "{nobody}");
}
