//! Confirmation of holding a role, in a browser.

use reqwest::StatusCode;
use serde_json::json;

use crate::diligence::DiligenceCaller;
use crate::diligence::evidence::Evidence;
use crate::diligence::orders::{ceremony_of, path_of};
use crate::support::browser::Browser;
use crate::support::demo::Demo;

#[tokio::test]
async fn a_member_of_the_board_signs_the_dossier_that_was_read_and_each_part_of_the_package_holds()
{
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let order = json!({
        "entityCode": "999000009",
        "subjectRole": "board_member",
        "purpose": "AML_KYC",
        "delivery": "link",
    });
    let ordered = live.orders(&order).await;
    let link = ordered["ceremonyUrl"].as_str().expect("a link");

    browser.goto(link).await.expect("the page");
    browser.shown(".sheet[data-drawn]").await;
    let page = browser.text("main").await;
    assert!(page.contains("999000009"), "{page}");
    browser.assert_accessible("a dossier").await;
    browser.illustrate("ceremony-dossier-phone").await;
    let read = ceremony_of(&ordered).document().await;
    let member = demo.persona("smart-id-2");
    browser.start_signing(&member.personal_code).await;
    browser.shown("#done").await;
    browser.close().await;

    let delivered = live.ended(&ordered).await;
    assert_eq!(delivered["status"], "delivered", "{delivered}");
    let artifact = live.get(&format!("{}/artifact", path_of(&ordered))).await;
    assert_eq!(artifact.status, StatusCode::OK);
    let evidence = Evidence::of(&artifact.body);
    assert!(evidence.read("dossier.pdf").starts_with(&read));
    evidence.assert_holds(&demo, member);
}
