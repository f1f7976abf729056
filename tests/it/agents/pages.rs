//! Pages of answers, and their prices.

use serde_json::{Value, json};

use super::call;
use crate::support::demo::Demo;

/// Returns the content of a tool's result.
async fn answered(demo: &Demo, key: &str, tool: &str, arguments: Value) -> Value {
    let bearer = format!("Bearer {key}");
    let params = json!({"name": tool, "arguments": arguments});
    let answer = call(demo, params, &[("authorization", &bearer)]).await;
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[tokio::test]
async fn two_hundred_acts_come_in_pages_of_one_answer() {
    let demo = Demo::start();
    let key = &demo.world.diligence.live;
    let mut arguments = json!({"entityCode": "999000138", "interpret": true, "limit": 150});
    let mut acts = Vec::new();
    let mut retrieved = Vec::new();
    for length in [150, 50] {
        let answer = answered(&demo, key, "get_seizures", arguments.clone()).await;
        let page = answer["data"]["acts"].as_array().expect("acts");
        assert_eq!(page.len(), length);
        assert_eq!(answer["page"]["total"], 200);
        acts.extend(page.iter().map(|act| act["actId"].to_string()));
        retrieved.push(answer["retrievedAt"].clone());
        arguments["cursor"] = answer["page"]["nextCursor"].clone();
    }
    assert!(arguments["cursor"].is_null());
    acts.sort();
    acts.dedup();
    assert_eq!(acts.len(), 200);
    assert_eq!(retrieved[0], retrieved[1], "it is one answer");
}

#[tokio::test]
async fn what_is_not_asked_for_fits_into_a_conversation() {
    let demo = Demo::start();
    let key = &demo.world.diligence.test;
    for (tool, code) in [
        ("get_participants", "999000120"),
        ("get_seizures", "999000138"),
        ("get_due_diligence_report", "999000120"),
        ("get_due_diligence_report", "999000138"),
    ] {
        let mut arguments = json!({"entityCode": code});
        if tool == "get_due_diligence_report" {
            arguments["purpose"] = "AML_KYC".into();
        }
        let answer = answered(&demo, key, tool, arguments).await;
        let text = answer.to_string();
        assert!(text.len() < 50_000, "{tool} {code}: {}", text.len());
        assert!(!text.contains("\"bods\""), "{tool} {code}");
    }
}
