//! Callers who cannot be billed: they get a refusal with the reason.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::orders::PACKAGES;
use super::{DiligenceCaller, ENTITY, ledger};
use crate::agents;
use crate::support::demo::Demo;
use crate::support::operator::done;

/// Calls a tool with a key and returns its result.
async fn result_of(demo: &Demo, key: &str, tool: &str, arguments: &Value) -> Value {
    let bearer = format!("Bearer {key}");
    let params = json!({"name": tool, "arguments": arguments});
    let answer = agents::call(demo, params, &[("authorization", &bearer)]).await;
    let answer: Value = answer.json().await.expect("JSON");
    answer["result"].clone()
}

#[tokio::test]
async fn whoever_cannot_be_billed_is_told_which_of_four_causes_it_is_and_agents_are_told_the_same()
{
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let test = DiligenceCaller::test(&demo);
    let tenant = demo.world.diligence.tenant.as_str();
    let company = json!({"entityCode": "999000009"});
    let order = json!({"entityCode": "999000009", "subjectRole": "manager", "purpose": "AML_KYC"});
    let ordered = live.post(PACKAGES, order.clone()).await.json();
    let ordered = json!({"orderId": ordered["orderId"]});
    let path = format!("{PACKAGES}/{}", ordered["orderId"].as_str().expect("an id"));
    // A missing agreement is the first reason, before any other.
    for (command, options, cause) in [
        (
            "set-funding",
            &["no-rail"][..],
            "no enrolled payment method",
        ),
        ("set-funding", &["overdue"], "invoice is overdue"),
        ("set-funding", &["ok", "--ceiling", "0.05"], "usage ceiling"),
        ("set-agreement", &["--terms", "no"], "No entity"),
        (
            "set-agreement",
            &["--terms", "yes", "--agreement", "no"],
            "No entity",
        ),
        (
            "set-agreement",
            &["--agreement", "yes", "--entity", "none"],
            "No entity",
        ),
    ] {
        let words = [&["tenant", command, tenant], options].concat();
        done(&demo.data(), &words);

        let asked = live.get(ENTITY).await;
        let package = live.post(PACKAGES, order.clone()).await;

        for (refused, tool, arguments) in [
            (asked, "lookup_company", &company),
            (package, "create_kyc_package", &order),
        ] {
            refused.assert_refused(402, "payment-required");
            let problem = refused.json();
            let detail = problem["detail"].as_str().expect("a detail");
            assert!(detail.contains(cause), "{words:?}: {detail}");
            let result = result_of(&demo, live.key, tool, arguments).await;
            assert_eq!(result["isError"], true, "{result}");
            assert_eq!(result["structuredContent"], problem, "{tool}");
            let result = result_of(&demo, test.key, tool, arguments).await;
            assert_eq!(result["isError"], false, "the sandbox costs nothing");
        }
        let known = live.get(&path).await;
        assert_eq!(known.status, StatusCode::OK, "what was ordered is told");
        let result = result_of(&demo, live.key, "get_kyc_package", &ordered).await;
        assert_eq!(result["structuredContent"], known.json());
    }

    assert_eq!(ledger(&demo), []);
}
