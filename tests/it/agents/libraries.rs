//! Official client libraries of the protocol.

use std::process::Command;

use parafa_fixtures::referees::{McpLibrary, mcp, python, script};
use parafa_fixtures::tool::{self, said};
use serde_json::{Value, json};

use super::{call, endpoint, run};
use crate::support::demo::Demo;

#[tokio::test]
async fn the_first_client_library_takes_answers_and_refusals_of_every_tool() {
    let client = mcp().map(|referees| referees.client(McpLibrary::First));
    assert_takes_all(client, "2025-11-25").await;
}

#[tokio::test]
async fn the_second_client_library_takes_answers_and_refusals_of_every_tool() {
    let client = mcp().map(|referees| referees.client(McpLibrary::Second));
    assert_takes_all(client, "2026-07-28").await;
}

#[tokio::test]
async fn the_client_library_in_python_takes_answers_and_refusals_of_every_tool() {
    assert_takes_all(in_python(), "2026-07-28").await;
}

/// Returns the Python library's client, or counts a skip.
fn in_python() -> Option<Command> {
    let python = python()?;
    let found = Command::new(&python).args(["-c", "import mcp"]).output();
    let found = found.is_ok_and(|output| output.status.success());
    let python = tool::or_skip("the Python package mcp", found.then_some(python))?;
    let mut client = Command::new(python);
    client.arg(script("mcp/client.py"));
    Some(client)
}

/// A call, and the problem it is refused with, if any.
struct Case {
    name: &'static str,
    arguments: Value,
    refused: Option<(u16, &'static str)>,
}

fn answered(name: &'static str, arguments: Value) -> Case {
    Case {
        name,
        arguments,
        refused: None,
    }
}

fn refused(name: &'static str, arguments: Value, status: u16, problem: &'static str) -> Case {
    Case {
        name,
        arguments,
        refused: Some((status, problem)),
    }
}

fn cases(order: &Value) -> [Case; 19] {
    let entity = |code: &str| json!({"entityCode": code});
    let asked = |code: &str| json!({"entityCode": code, "purpose": "AML_KYC"});
    let interpreted =
        |code: &str| json!({"entityCode": code, "purpose": "AML_KYC", "interpret": true});
    let package =
        |role: &str| json!({"entityCode": "999000009", "subjectRole": role, "purpose": "OTHER"});
    let nobodys = json!({"orderId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f"});
    [
        answered("lookup_company", entity("999000009")),
        answered("get_participants", entity("999000120")),
        answered("get_beneficial_owners", interpreted("999000009")),
        answered("get_real_estate", entity("999000009")),
        answered("get_seizures", entity("999000138")),
        answered("get_court_cases", entity("999000009")),
        answered("get_due_diligence_report", interpreted("999000009")),
        answered("get_due_diligence_report", asked("999000049")),
        answered("create_kyc_package", package("manager")),
        answered("get_kyc_package", json!({"orderId": order})),
        refused("lookup_company", entity("999000191"), 404, "no-data"),
        refused("get_participants", entity("999000088"), 404, "no-data"),
        refused(
            "get_beneficial_owners",
            entity("999000009"),
            400,
            "validation-failed",
        ),
        refused(
            "get_real_estate",
            entity("999000152"),
            502,
            "upstream-unavailable",
        ),
        refused(
            "get_seizures",
            entity("999000184"),
            502,
            "upstream-unavailable",
        ),
        refused(
            "get_court_cases",
            entity("999000000"),
            400,
            "validation-failed",
        ),
        refused(
            "get_due_diligence_report",
            asked("999000177"),
            502,
            "upstream-unavailable",
        ),
        refused(
            "create_kyc_package",
            package("liquidator"),
            422,
            "role-not-held",
        ),
        refused("get_kyc_package", nobodys, 404, "not-found"),
    ]
}

/// Asserts that all results match their tools' schemas: otherwise the library
/// throws.
async fn assert_takes_all(client: Option<Command>, revision: &str) {
    let Some(mut client) = client else {
        return;
    };
    let demo = Demo::start();
    let key = &demo.world.diligence.test;
    let order = json!({"entityCode": "999000009", "subjectRole": "manager", "purpose": "OTHER"});
    let params = json!({"name": "create_kyc_package", "arguments": order});
    let bearer = format!("Bearer {key}");
    let ordered = call(&demo, params, &[("authorization", &bearer)]).await;
    let ordered: Value = ordered.json().await.expect("JSON");
    let cases = cases(&ordered["result"]["structuredContent"]["orderId"]);
    let calls = cases
        .iter()
        .map(|case| json!({"name": case.name, "arguments": case.arguments}));
    let calls = Value::Array(calls.collect()).to_string();

    let output = run(client.arg(endpoint(&demo)).env("KEY", key), &calls);

    assert!(output.status.success(), "{}", said(&output));
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(warned.is_empty(), "{warned}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["revision"], revision);
    let tools = told["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 9, "{tools:?}");
    for tool in tools {
        let mut of_tool = cases.iter().filter(|case| case.name == tool);
        assert!(of_tool.clone().any(|case| case.refused.is_none()), "{tool}");
        assert!(of_tool.any(|case| case.refused.is_some()), "{tool}");
    }
    let results = told["results"].as_array().expect("results");
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(results) {
        case.assert_came_to(result);
    }
}

impl Case {
    fn assert_came_to(&self, result: &Value) {
        let Self {
            name, arguments, ..
        } = self;
        assert_eq!(result.get("thrown"), None, "{name} {arguments}");
        let content = &result["structuredContent"];
        let text = result["content"][0]["text"].as_str().expect("a text");
        let text: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(&text, content, "{name}");
        match self.refused {
            Some((status, problem)) => {
                assert_eq!(result["isError"], true, "{name} {arguments} {result}");
                assert_eq!(content["status"], status, "{name} {arguments} {result}");
                let kind = content["type"].as_str().expect("a type");
                assert!(kind.ends_with(&format!("/problems/{problem}")), "{kind}");
            }
            None => {
                assert_eq!(result["isError"], false, "{name} {arguments} {result}");
                for argument in ["entityCode", "orderId"] {
                    if let Some(asked) = arguments.get(argument) {
                        let echoed = content.get(argument).unwrap_or(asked);
                        assert_eq!(echoed, asked, "{name}");
                    }
                }
                let is_order = content["orderId"].is_string();
                assert!(is_order || content["data"].is_object(), "{name} {content}");
            }
        }
    }
}
