//! All pages: that everybody can read and use them, that they are small, and that
//! they load nothing of others.

mod card_app;
mod documents;
mod faces;
mod failures;
mod guide;
mod identification;
mod letters;
mod methods;
mod occasions;
mod other_ways;
mod outcomes;
mod sandbox;
mod states;

use parafa_fixtures::plain;
use reqwest::Url;
use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// A sentence in Lithuanian and in English.
type Told = [&'static str; 2];

const LANGUAGES: [&str; 2] = ["lt", "en"];

/// The link of the one who is to sign a document.
async fn link(demo: &Demo, signer: Value) -> Url {
    let signing = demo.signing().create(&plain(1), json!([signer])).await;
    signing.signers[0].link().clone()
}

/// Opens a signer's page in this language, whichever theirs is.
async fn open(browser: &Browser, link: &Url, language: &str) {
    let mut link = link.clone();
    link.set_query(Some(&format!("lang={language}")));
    browser.goto(link.as_str()).await.expect("the page");
    browser.shown("#choose").await;
}
