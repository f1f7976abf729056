//! Pages of the sandbox, where callers play the signers.

use fantoccini::Locator;
use parafa_fixtures::plain;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{LANGUAGES, Told, open};
use crate::support::browser::Browser;
use crate::support::demo::Demo;

const SANDBOX: Told = [
    "Bandomoji aplinka: čia niekas nepasirašoma.",
    "Test environment: nothing is signed here.",
];

const TEST_OVER: Told = ["Bandymas baigtas", "The test is over"];

#[tokio::test]
async fn a_page_of_the_sandbox_says_so_and_has_nothing_to_sign_with_and_ends_with_the_simulation() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.sandbox();
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        let signers = json!([{"email": "ona@example.lt", "language": language}]);
        let signing = api.create(&plain(1), signers).await;
        let page = signing.signers[0].link();

        open(&browser, page, language).await;
        browser.shown(".sheet[data-drawn]").await;
        assert_eq!(browser.text(".sandbox").await, SANDBOX[number]);
        for way in ["#sign", "#scan", "#card", "input[name=method]"] {
            let found = browser.find_all(Locator::Css(way)).await;
            assert!(found.expect("a look").is_empty(), "{way}");
        }
        browser.assert_accessible("the sandbox").await;
        let name = format!("ceremony-sandbox-phone-{language}");
        browser.illustrate(&name).await;
        let start = json!({"method": "nfc"});
        let refused = Demo::ceremony(page).start(&start).await;
        let refused = refused.expect_err("nothing is signed");
        assert_eq!(refused.status, StatusCode::CONFLICT);
        assert_eq!(refused.problem.name(), "sandbox-never-signs");

        let simulate = format!("v1/signings/{}/simulate", signing.signing_id);
        let action = Some(json!({"action": "complete"}));
        let completed = api.call(Method::POST, &simulate, action).await;

        let completed = completed.expect("the outcome is simulated");
        assert_eq!(completed["completionMode"], "sandbox_simulation");
        let told = browser.text("main:not([data-base]) h1").await;
        assert_eq!(told, TEST_OVER[number]);
        browser.assert_complains_of("404 (Not Found)").await;
    }
    browser.close().await;
}
