//! Somebody confirms in a browser that they hold a role.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;

use crate::diligence::DiligenceCaller;
use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// How long the package may take after the signature.
const DELIVERED_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_manager_reads_the_dossier_and_signs_it_and_the_package_is_delivered() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let order = json!({
        "entityCode": "999000009",
        "subjectRole": "manager",
        "purpose": "AML_KYC",
        "delivery": "link",
    });
    let ordered = live.post("/v1/kyc-packages", order).await;
    assert_eq!(ordered.status, StatusCode::ACCEPTED);
    let ordered = ordered.json();
    let link = ordered["ceremonyUrl"].as_str().expect("a link");

    browser.goto(link).await.expect("the page");
    browser.shown(".sheet[data-drawn]").await;
    let page = browser.text("main").await;
    assert!(page.contains("999000009"), "{page}");
    browser.assert_accessible("a dossier").await;
    browser.keep_picture("ceremony-dossier").await;
    let manager = demo.persona("smart-id-1");
    browser.start_signing(&manager.personal_code).await;
    browser.shown("#done").await;
    browser.close().await;

    let id = ordered["orderId"].as_str().expect("an id");
    let path = format!("/v1/kyc-packages/{id}");
    let delivered = async {
        loop {
            let read = live.get(&path).await.json();
            if !["awaiting_subject", "verifying"]
                .iter()
                .any(|open| read["status"] == *open)
            {
                return read;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    let delivered = tokio::time::timeout(DELIVERED_WITHIN, delivered).await;
    let delivered = delivered.expect("the order ends");
    assert_eq!(delivered["status"], "delivered", "{delivered}");
    let artifact = live.get(&format!("{path}/artifact")).await;
    assert_eq!(artifact.status, StatusCode::OK);
}
