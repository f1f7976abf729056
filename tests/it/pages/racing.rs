//! Pages open in two browsers at once.

use parafa_fixtures::plain;
use serde_json::json;

use super::card_app::CardApp;
use super::{LANGUAGES, SIGNED, Told, link, open, scan, visit};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

const BUSY: Told = [
    "Dokumentą dabar pasirašo kitas asmuo. Palaukite čia: kai jis baigs, galėsite pasirašyti ir \
     jūs.",
    "Someone else is signing the document right now. Wait here: you can sign as soon as they \
     have finished.",
];
/// Selector of the page's state after requesting an attempt.
const ANSWERED: &str = "#waiting:not([hidden]), #start-fault:not([hidden])";

#[tokio::test]
async fn of_two_signers_who_press_at_once_one_begins_and_the_other_is_told_to_wait() {
    let (Some(first), Some(second)) = (Browser::start().await, Browser::start().await) else {
        return;
    };
    let demo = Demo::start();
    let signers = json!([{"email": "ona@example.lt"}, {"email": "john@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let browsers = [first, second];
    // With news withheld, only the answer tells each page that the other has
    // begun.
    let mut withheld = Vec::new();
    for (number, browser) in browsers.iter().enumerate() {
        withheld.push(browser.withhold_news().await);
        open(browser, signing.signers[number].link(), LANGUAGES[number]).await;
    }

    let codes = demo.smart_id_personas("signs");
    let codes = [0, 1].map(|number: usize| codes[number].personal_code.as_str());
    tokio::join!(
        browsers[0].start_signing(codes[0]),
        browsers[1].start_signing(codes[1])
    );

    let waits = async |browser: &Browser| {
        let shown = browser.shown(ANSWERED).await.attr("id").await;
        shown.expect("its attributes").as_deref() == Some("waiting")
    };
    let (winner, loser) = match (waits(&browsers[0]).await, waits(&browsers[1]).await) {
        (true, false) => (0, 1),
        (false, true) => (1, 0),
        both => panic!("who has begun: {both:?}"),
    };
    let told = browsers[loser].text("#start-fault").await;
    assert_eq!(told, BUSY[loser]);
    browsers[loser].assert_accessible("busy").await;
    browsers[loser].assert_complains_of("409 (Conflict)").await;

    for number in [winner, loser] {
        let (browser, link) = (&browsers[number], signing.signers[number].link());
        browser.let_news_through(withheld[number].clone()).await;
        if number == winner {
            visit(browser, link, LANGUAGES[number]).await;
        } else {
            open(browser, link, LANGUAGES[number]).await;
            browser.click("#scan").await;
            browser.shown("#qr").await;
            scan(&demo, link).await;
        }
        assert_eq!(browser.text("#done h2").await, SIGNED[number]);
    }
    let ended = demo.signing().signing(signing.signing_id).await;
    assert_eq!(ended.status, "completed");
    for browser in browsers {
        browser.close().await;
    }
}

#[tokio::test]
async fn two_signers_have_codes_on_their_pages_and_who_is_later_is_shown_what_has_changed() {
    let (Some(first), Some(second)) = (Browser::start().await, Browser::start().await) else {
        return;
    };
    let demo = Demo::start();
    let signers = json!([{"email": "ona@example.lt"}, {"email": "john@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let [early, late] = [0, 1].map(|number: usize| signing.signers[number].link());
    for (browser, link) in [(&first, early), (&second, late)] {
        open(browser, link, "en").await;
        browser.click("#scan").await;
        browser.shown("#qr").await;
    }

    scan(&demo, early).await;
    assert_eq!(first.text("#done h2").await, SIGNED[1]);

    second.shown("#changed").await;
    second.shown("#qr").await;
    second.assert_accessible("changed").await;
    scan(&demo, late).await;
    assert_eq!(second.text("#done h2").await, SIGNED[1]);
    for browser in [first, second] {
        browser.close().await;
    }
}

#[tokio::test]
async fn whoever_has_the_page_open_on_two_devices_sees_the_same_on_both() {
    let phone = Browser::on(Screen::PHONE).await;
    let desktop = Browser::on(Screen::DESKTOP).await;
    let (Some(phone), Some(desktop)) = (phone, desktop) else {
        return;
    };
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;
    let browsers = [phone, desktop];
    for (browser, language) in browsers.iter().zip(LANGUAGES) {
        open(browser, &page, language).await;
    }

    let app = CardApp::paired(&demo, &browsers[0]).await;
    let asked = app.show("card-p384/signing").await;
    let asked = asked.expect("the card may sign");
    for browser in &browsers {
        let code = browser.text("#verification-code").await;
        assert_eq!(asked["verificationCode"], code);
    }
    app.sign("card-p384", &asked).await;

    for (browser, told) in browsers.iter().zip(SIGNED) {
        assert_eq!(browser.text("#done h2").await, told);
    }
    for browser in browsers {
        browser.close().await;
    }
}
