//! All pages: accessibility, size, and no external resources.

mod breakdowns;
mod card_app;
mod documents;
mod faces;
mod failures;
mod guide;
mod identification;
mod layout;
mod letters;
mod methods;
mod occasions;
mod other_ways;
mod outcomes;
mod racing;
mod samples;
mod sandbox;
mod states;
mod typing;

use parafa_fixtures::plain;
use reqwest::Url;
use serde_json::{Value, json};

use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Sentence in Lithuanian and in English.
type Told = [&'static str; 2];

const LANGUAGES: [&str; 2] = ["lt", "en"];
/// Screens for rare states: a phone in Lithuanian, and a desktop in English.
const SCREENS: [(Screen, usize); 2] = [(Screen::PHONE, 0), (Screen::DESKTOP, 1)];

const REFUSED: Told = [
    "Savo įrenginyje atsisakėte pasirašyti. Jei taip nutiko netyčia, bandykite dar kartą.",
    "You declined on your device. If that was a mistake, try again.",
];
const SIGNED: Told = ["Pasirašyta", "Signed"];

/// Changes what the page posts next, as if page and server disagreed.
async fn replace_posted(browser: &Browser, text: &str, other: &str) {
    let script = "
        const [text, other] = arguments;
        const real = window.fetch;
        window.fetch = (address, options) => {
          if (options && options.body) {
            options.body = options.body.replace(text, other);
            window.fetch = real;
          }
          return real(address, options);
        };
    ";
    let replaced = browser.execute(script, vec![json!(text), json!(other)]);
    replaced.await.expect("a changed page");
}

/// Creates a signing and returns its signer's link.
async fn link(demo: &Demo, signer: Value) -> Url {
    let signing = demo.signing().create(&plain(1), json!([signer])).await;
    signing.signers[0].link().clone()
}

/// Opens a signer's page in this language.
async fn visit(browser: &Browser, link: &Url, language: &str) {
    let mut link = link.clone();
    link.set_query(Some(&format!("lang={language}")));
    browser.goto(link.as_str()).await.expect("the page");
}

/// Opens a signer's page and waits until it offers signing.
async fn open(browser: &Browser, link: &Url, language: &str) {
    visit(browser, link, language).await;
    browser.shown("#choose").await;
}

/// Scans the code on a signer's page.
async fn scan(demo: &Demo, link: &Url) {
    let attempt = Demo::ceremony(link).state().await.attempt;
    let device_link = attempt.expect("an attempt").device_link;
    let code = device_link.expect("a code to scan").qr;
    assert!(demo.follow(&code, "QR", demo.persona_who_scans()).await);
}
