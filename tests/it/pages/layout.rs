//! Where things stand on a signer's page, on a phone and on a computer.

use serde_json::{Value, json};

use super::{link, open};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Whether the steps stand beside the document, and are in the window however far
/// the page is scrolled.
const STEPS: &str = "
    const box = (css) => document.querySelector(css).getBoundingClientRect();
    const isBeside = box('.steps').left >= box('section.document').right;
    const isInSight = () => box('.steps').top >= 0 && box('#choose').top < innerHeight;
    const before = isInSight();
    scrollTo(0, document.documentElement.scrollHeight);
    return [isBeside, before && isInSight()];
";
/// Whether the code comes before the words about it, how large it is beside the
/// picture, and whether the button to the app on the same device is shown.
const CODE: &str = "
    const code = document.getElementById('qr');
    const app = document.getElementById('same-device');
    const words = [...document.querySelectorAll('#link-box > p')].filter((p) => p.checkVisibility());
    const { top, width } = code.getBoundingClientRect();
    const isFirst = words.every((p) => p.getBoundingClientRect().top > top);
    return [isFirst, code.naturalWidth > 0 && width >= code.naturalWidth, app.checkVisibility()];
";

async fn look(browser: &Browser, script: &str) -> Value {
    let seen = browser.execute(script, Vec::new()).await;
    seen.expect("a look")
}

#[tokio::test]
async fn a_computer_shows_the_signing_beside_the_document_and_the_code_first_and_large() {
    let Some(browser) = Browser::on(Screen::DESKTOP).await else {
        return;
    };
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;

    open(&browser, &page, "lt").await;
    browser.shown(".sheet[data-drawn]").await;
    assert_eq!(look(&browser, STEPS).await, json!([true, true]));
    browser.click("#scan").await;
    browser.shown("#qr").await;
    browser.wait_for_picture("qr").await;

    assert_eq!(look(&browser, CODE).await, json!([true, true, false]));
    browser.assert_accessible("a code on a computer").await;
    browser.close().await;
}

#[tokio::test]
async fn a_phone_shows_the_signing_below_the_document_and_the_button_to_the_app_first() {
    let Some(browser) = Browser::on(Screen::PHONE).await else {
        return;
    };
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;

    open(&browser, &page, "en").await;
    browser.shown(".sheet[data-drawn]").await;
    assert_eq!(look(&browser, STEPS).await[0], false);
    browser.click("#scan").await;
    browser.shown("#same-device").await;
    browser.wait_for_picture("qr").await;

    let seen = look(&browser, CODE).await;
    assert_eq!((&seen[0], &seen[2]), (&json!(false), &json!(true)));
    browser.close().await;
}
