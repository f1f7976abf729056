//! Branding of a workspace on pages and in letters, and what signers get after
//! the last signature.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::plain;
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::letters::show;
use crate::operator_commands::faces::{LOGO, file};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;
use crate::support::operator::{done, text};
use crate::support::outside::letters;

/// Script: colour of the first button's text, and width of the logo.
const BUTTON: &str = "
    const style = getComputedStyle(document.querySelector('.document > .button'));
    const logo = document.querySelector('.logo img');
    return [style.color, logo.naturalWidth];
";

fn put_on(demo: &Demo, words: &[&str]) {
    let (_folder, logo) = file("logo.svg", LOGO.as_bytes());
    let look = [
        "--name",
        "Ąžuolo biuras",
        "--accent",
        "#9a3412",
        "--logo",
        text(&logo),
    ];
    let command = ["tenant", "set-face", "Demo UAB"];
    done(&demo.data(), &[&command[..], &look, words].concat());
}

/// Creates a signing mailed to two sequential signers.
async fn mailed(demo: &Demo) -> Url {
    let mut request = json!({
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(plain(1))},
        "delivery": "email",
        "signingOrder": "sequential",
    });
    request["signers"] = json!([
        {"email": "ona@example.lt", "name": "Ona Pavyzdienė", "language": "lt"},
        {"email": "john@example.lt", "name": "John Smith", "language": "en"},
    ]);
    let created = demo
        .signing()
        .call(Method::POST, "v1/signings", Some(request))
        .await;
    created.expect("the signing is created");
    link_in(&letters(demo, 1).await[0])
}

fn link_in(letter: &Value) -> Url {
    let text = letter["text"].as_str().expect("text");
    let link = text.split_whitespace().find(|word| word.contains("/c/"));
    link.expect("a link").parse().expect("an address")
}

async fn signed_by_both(demo: &Demo) {
    let first = mailed(demo).await;
    let personas = demo.smart_id_personas("signs");
    Demo::ceremony(&first).sign(personas[0]).await;
    let second = link_in(&letters(demo, 2).await[1]);
    Demo::ceremony(&second).sign(personas[1]).await;
}

fn to<'l>(letters: &'l [Value], who: &str) -> Vec<&'l Value> {
    letters
        .iter()
        .filter(|letter| letter["to"] == who)
        .collect()
}

#[tokio::test]
async fn everybody_can_use_a_page_with_a_face_of_its_own() {
    for screen in [Screen::PHONE, Screen::DESKTOP, Screen::NARROW] {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        let demo = Demo::start();
        put_on(&demo, &[]);
        let signers = json!([{"email": "ona@example.lt", "language": "lt"}]);
        let signing = demo.signing().create(&plain(1), signers).await;

        let link = signing.signers[0].link();
        browser.goto(link.as_str()).await.expect("the page");
        browser.shown(".sheet[data-drawn]").await;
        browser.shown("#choose").await;

        let shown = browser.execute(BUTTON, Vec::new()).await.expect("a style");
        assert_eq!(shown[1], 480, "the logo is loaded");
        if screen.name == "phone" {
            assert_eq!(
                shown[0], "rgb(154, 52, 18)",
                "the accent is the workspace's"
            );
        }
        browser.assert_accessible("a face").await;
        if screen.name != "desktop" {
            browser
                .illustrate(&format!("face-{}-lt", screen.name))
                .await;
        }
        browser.close().await;
    }
}

#[tokio::test]
async fn whoever_has_signed_is_written_once_all_have_and_can_read_it_for_a_week() {
    let Some(browser) = Browser::on(Screen::DESKTOP).await else {
        return;
    };
    let demo = Demo::start();
    put_on(&demo, &[]);

    signed_by_both(&demo).await;
    let letters = letters(&demo, 4).await;

    let english = to(&letters, "john@example.lt");
    assert_eq!(
        english[0]["subject"],
        "Your turn to sign: Paslaugų sutartis"
    );
    assert_eq!(english[1]["subject"], "Signed: Paslaugų sutartis");
    let lithuanian = to(&letters, "ona@example.lt");
    assert_eq!(lithuanian[1]["subject"], "Pasirašyta: Paslaugų sutartis");
    for (name, letter) in [
        ("letter-turn-en", english[0]),
        ("letter-done-en", english[1]),
        ("letter-done-lt", lithuanian[1]),
    ] {
        assert!(
            letter["from"]
                .as_str()
                .expect("text")
                .starts_with("Ąžuolo biuras")
        );
        let (text, html) = (letter["text"].as_str(), letter["html"].as_str());
        let (text, html) = (text.expect("text"), html.expect("HTML"));
        assert!(text.contains("Demo UAB") && html.contains("Demo UAB"));
        assert!(html.contains("src=\"data:image/png;base64,"), "{html}");
        assert_eq!(letter["attachments"], json!([]));
        show(&browser, letter, name).await;
    }

    let copy = link_in(lithuanian[1]);
    let after_days = async |days: &str| {
        let data = demo.data();
        let clock = crate::support::demo::parafa(["demo", "clock", days, "--data", text(&data)]);
        assert!(clock.status.success(), "{clock:?}");
        reqwest::get(format!("{copy}/document"))
            .await
            .expect("an answer")
            .status()
    };
    assert_eq!(after_days("+6d").await, 200);
    browser.goto(copy.as_str()).await.expect("the page");
    browser.shown("#done").await;
    browser.shown(".sheet[data-drawn]").await;
    browser.assert_accessible("a copy").await;
    browser.illustrate("ceremony-copy-desktop-lt").await;
    assert_eq!(after_days("+8d").await, 404);
    browser.close().await;
}

#[tokio::test]
async fn the_document_comes_along_where_the_workspace_wants_that() {
    let demo = Demo::start();
    put_on(&demo, &["--done-mail", "attach"]);

    signed_by_both(&demo).await;

    for letter in &letters(&demo, 4).await[2..] {
        let [attachment] = &letter["attachments"].as_array().expect("a list")[..] else {
            panic!("one document comes along: {letter}");
        };
        assert_eq!(attachment["name"], "sutartis.pdf");
        assert_eq!(attachment["mimeType"], "application/pdf");
        let text = letter["text"].as_str().expect("text");
        assert!(!text.contains("/c/"), "{text}");
    }
}

#[tokio::test]
async fn nobody_is_written_where_the_workspace_wants_no_letters() {
    let demo = Demo::start();
    put_on(&demo, &["--done-mail", "none"]);

    signed_by_both(&demo).await;
    // Letters due before the next invitation have been sent by then.
    mailed(&demo).await;
    let letters = letters(&demo, 3).await;

    assert_eq!(letters.len(), 3, "{letters:?}");
    assert_eq!(
        letters[2]["subject"],
        "Prašymas pasirašyti: Paslaugų sutartis"
    );
}
