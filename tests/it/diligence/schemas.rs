//! Answers, checked against the schemas that they name.

use std::path::Path;
use std::process::Command;

use parafa_fixtures::referees::{python, script};
use parafa_fixtures::tool::said;
use reqwest::StatusCode;
use serde_json::Value;
use tempfile::TempDir;

use super::{DiligenceCaller, ENTITY, file};
use crate::support::demo::Demo;

/// One answer of each kind, and variants with other content.
const ANSWERS: [&str; 12] = [
    "/v1/entities/999000009",
    "/v1/entities/999000009?interpret=1",
    "/v1/entities/999000009/participants",
    "/v1/entities/999000120/participants",
    "/v1/entities/999000009/ubo?purpose=AML_KYC&interpret=1",
    "/v1/entities/999000009/real-estate?purpose=OTHER",
    "/v1/real-estate/4400-9990-0001",
    "/v1/entities/999000009/seizures?interpret=1",
    "/v1/entities/999000009/cases",
    "/v1/entities/999000009/dd-report?purpose=OTHER",
    "/v1/entities/999000009/dd-report?purpose=OTHER&interpret=1",
    "/v1/entities/999000088/dd-report?purpose=OTHER",
];

#[tokio::test]
async fn an_answer_is_valid_by_the_schema_that_it_names() {
    let Some(python) = python() else {
        return;
    };
    let demo = Demo::start();
    let folder = tempfile::tempdir().expect("a folder");
    for caller in [DiligenceCaller::live(&demo), DiligenceCaller::test(&demo)] {
        for path in ANSWERS {
            let answered = caller.get(path).await;
            assert_eq!(answered.status, StatusCode::OK, "{path}");
            let answer = answered.json();
            let schema = published(&answer).await;
            assert_eq!(faults(&python, &folder, &schema, &answer), "", "{path}");
        }
    }
    let answer = DiligenceCaller::live(&demo).get(ENTITY).await.json();
    let schema = published(&answer).await;
    let faults = faults(&python, &folder, &schema, &answer["data"]);
    assert!(faults.contains("retrievedAt"), "{faults}");
}

/// Returns the published schema that an answer names.
async fn published(answer: &Value) -> Vec<u8> {
    let address = answer["schema"].as_str().expect("an address");
    let published = reqwest::get(address).await.expect("an answer");
    published.bytes().await.expect("a schema").to_vec()
}

/// Returns the faults that jsonschema_rs finds; empty for a valid document.
fn faults(python: &Path, folder: &TempDir, schema: &[u8], document: &Value) -> String {
    let output = Command::new(python)
        .arg(script("json_schema.py"))
        .arg("--schema")
        .arg(file(folder, "schema.json", schema))
        .arg(file(folder, "answer.json", document.to_string().as_bytes()))
        .output()
        .expect("Python runs");
    match output.status.success() {
        true => String::new(),
        false => said(&output),
    }
}
