//! Inspector of the protocol's makers, on the command line.

use std::process::Output;

use parafa_fixtures::referees::{McpReferees, mcp};
use parafa_fixtures::tool::said;
use serde_json::Value;

use super::{endpoint, run};
use crate::support::demo::Demo;

/// Exit codes: success, missing key, refusal by the tool.
const DONE: i32 = 0;
const WANTS_KEY: i32 = 3;
const REFUSED: i32 = 5;

#[tokio::test]
async fn the_inspector_lists_and_calls_tools_in_both_revisions() {
    let Some(referees) = mcp() else {
        return;
    };
    let demo = Demo::start();
    for era in ["legacy", "modern"] {
        let inspector = Inspector {
            referees: &referees,
            demo: &demo,
            era,
        };
        let listed = inspector.asks(&["--method", "tools/list", "--strict"], DONE);
        let tools = listed["result"]["tools"].as_array().expect("tools");
        assert_eq!(tools.len(), 9, "{listed}");

        inspector.calls("999000009", false, WANTS_KEY);
        let answered = inspector.calls("999000009", true, DONE);
        let content = &answered["result"]["structuredContent"];
        assert_eq!(content["data"]["code"], "999000009", "{answered}");
        let refused = inspector.calls("999000191", true, REFUSED);
        let content = &refused["result"]["structuredContent"];
        assert_eq!(content["status"], 404, "{refused}");
    }
}

struct Inspector<'a> {
    referees: &'a McpReferees,
    demo: &'a Demo,
    era: &'a str,
}

impl Inspector<'_> {
    /// Looks a company up, with or without the sandbox's key.
    fn calls(&self, code: &str, has_key: bool, status: i32) -> Value {
        let arguments = format!("{{\"entityCode\": \"{code}\"}}");
        let header = format!("Authorization: Bearer {}", self.demo.world.diligence.test);
        let mut words = vec!["--method", "tools/call", "--tool-name", "lookup_company"];
        words.extend(["--tool-args-json", &arguments]);
        if has_key {
            words.extend(["--header", &header]);
        }
        self.asks(&words, status)
    }

    /// Returns its output; asserts that it ends with `status`.
    fn asks(&self, words: &[&str], status: i32) -> Value {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut inspector = self.referees.inspector();
        inspector
            .arg(endpoint(self.demo))
            .args(["--transport", "http", "--protocol-era", self.era])
            .args(["--format", "json", "--stored-auth-only"])
            .args(words)
            .env("HOME", home.path());
        let output: Output = run(&mut inspector, "");
        assert_eq!(
            output.status.code(),
            Some(status),
            "{words:?} {}",
            said(&output)
        );
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}
