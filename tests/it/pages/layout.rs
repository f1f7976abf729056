//! Layout of a signer's page, on a phone and on a computer.

use reqwest::Method;
use serde_json::{Value, json};

use super::states::{LOADED, MOST_BYTES};
use super::{LANGUAGES, link, open, visit};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Script: whether the steps are beside the document, and stay in the window
/// while the page is scrolled.
const STEPS: &str = "
    const box = (css) => document.querySelector(css).getBoundingClientRect();
    const isBeside = box('.steps').left >= box('section.document').right;
    const isInSight = () => box('.steps').top >= 0 && box('#choose').top < innerHeight;
    const before = isInSight();
    scrollTo(0, document.documentElement.scrollHeight);
    return [isBeside, before && isInSight()];
";
/// Script: whether the code comes before its explanation, and its size relative
/// to the picture. Also returns whether the button to the app on the same
/// device is shown.
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

#[tokio::test]
async fn pages_on_which_nothing_is_left_to_sign_are_small_and_fit_a_narrow_screen() {
    let demo = Demo::start();
    let api = demo.signing();
    let signers = json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]);
    let persona = demo.smart_id_personas("signs")[0];
    let Some(browser) = Browser::on(Screen::NARROW).await else {
        return;
    };
    for language in LANGUAGES {
        let signing = api
            .create(&parafa_fixtures::plain(1), signers.clone())
            .await;
        let [signed, cancelled] = [0, 1].map(|number| signing.signers[number].link());
        Demo::ceremony(signed).sign(persona).await;
        let pair = demo.world.base_url.join("c/pair");
        let pair = pair.expect("an address");

        for (page, shown) in [(signed, "#done"), (&pair, "h1")] {
            visit(&browser, page, language).await;
            browser.shown(shown).await;
            assert_small(&browser).await;
        }
        let cancel = format!("v1/signings/{}/cancel", signing.signing_id);
        let answer = api.call(Method::POST, &cancel, Some(json!({}))).await;
        answer.expect("the signing is cancelled");
        visit(&browser, cancelled, language).await;
        browser.shown("main:not([data-base]) h1").await;
        assert_small(&browser).await;
        browser.assert_complains_of("404 (Not Found)").await;
    }
    browser.close().await;
}

async fn assert_small(browser: &Browser) {
    browser
        .assert_accessible("a page with nothing to sign")
        .await;
    let loaded = look(browser, LOADED).await.as_f64().expect("a number");
    assert!(loaded < MOST_BYTES, "{loaded}");
}
