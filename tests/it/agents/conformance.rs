//! Conformance suite of the protocol, on the product's endpoint. Scenarios that
//! need tools of the suite's own are in the tests of `api/mcp`, where the whole
//! suite runs.

use parafa_fixtures::referees::mcp;
use parafa_fixtures::tool::said;

use super::{endpoint, run};
use crate::support::demo::Demo;
use crate::support::root;

#[tokio::test]
async fn the_endpoint_conforms_to_2025_11_25() {
    let scenarios = [
        "server-initialize",
        "ping",
        "tools-list",
        "dns-rebinding-protection",
    ];
    assert_conforms("2025-11-25", &scenarios);
}

#[tokio::test]
async fn the_endpoint_conforms_to_2026_07_28() {
    let scenarios = [
        "server-stateless",
        "tools-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "caching",
        "input-required-result-unsupported-methods",
    ];
    assert_conforms("2026-07-28", &scenarios);
}

fn assert_conforms(revision: &str, scenarios: &[&str]) {
    let Some(referees) = mcp() else {
        return;
    };
    let demo = Demo::start();
    for scenario in scenarios {
        let mut suite = referees.conformance();
        suite.args(["server", "--url", &endpoint(&demo)]).args([
            "--scenario",
            scenario,
            "--spec-version",
            revision,
        ]);
        let exceptions = root().join(format!("tests/it/agents/not-offered/{scenario}.yml"));
        if exceptions.is_file() {
            suite.arg("--expected-failures").arg(exceptions);
        }
        let output = run(&mut suite, "");
        assert!(output.status.success(), "{scenario}: {}", said(&output));
        // The suite does not count a scenario that could not be tried as a
        // failure.
        let told = said(&output);
        assert!(!told.contains("Passed: 0/"), "{scenario}: {told}");
    }
}
