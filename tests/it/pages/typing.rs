//! Personal data typed by signers.

use serde_json::json;

use super::{REFUSED, link, open};
use crate::support::browser::Browser;
use crate::support::demo::Demo;

const TYPED: &str = "return document.getElementById('personal-code').value";

async fn typed(browser: &Browser) -> String {
    let value = browser.execute(TYPED, Vec::new()).await.expect("a look");
    value.as_str().expect("text").to_owned()
}

#[tokio::test]
async fn a_code_is_taken_as_people_write_it_and_stays_for_the_next_attempt() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;
    let code = &demo.smart_id_personas("user_refused")[0].personal_code;
    let written = format!("LT-{} {}-{}", &code[..4], &code[4..8], &code[8..]);

    open(&browser, &page, "lt").await;
    browser.start_signing(&written).await;
    assert_eq!(browser.text("#failure").await, REFUSED[0]);
    browser.click("#again").await;
    assert_eq!(typed(&browser).await, written);
    browser.refresh().await.expect("the page");
    browser.shown("#choose").await;
    assert_eq!(typed(&browser).await, written);
    browser.click("#sign").await;
    assert_eq!(browser.text("#failure").await, REFUSED[0]);

    let other = link(&demo, json!({"email": "jonas@example.lt"})).await;
    open(&browser, &other, "lt").await;
    assert_eq!(typed(&browser).await, "", "another link has another signer");
    browser.close().await;
}

#[tokio::test]
async fn a_code_with_a_wrong_check_digit_is_doubted_once_and_then_the_server_judges_it() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let code = "40504040002";
    let locked = json!({"email": "ona@example.lt", "personalCode": code});
    let locked = link(&demo, locked).await;
    let free = link(&demo, json!({"email": "jonas@example.lt"})).await;

    open(&browser, &locked, "lt").await;
    browser.start_signing(code).await;
    browser.shown("#personal-code-doubt").await;
    browser.click("#sign").await;
    browser.shown("#failed").await;

    open(&browser, &free, "lt").await;
    browser.start_signing(code).await;
    browser.shown("#personal-code-doubt").await;
    browser.click("#sign").await;
    browser.shown("#personal-code-fault").await;
    browser.assert_complains_of("400 (Bad Request)").await;
    browser.close().await;
}
