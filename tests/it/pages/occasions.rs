//! Signers' view of documents with earlier signatures, and of containers.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use fantoccini::Locator;
use parafa_fixtures::plain;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::open;
use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// Time limit for the inspection of a document.
const LOOKED_AT: Duration = Duration::from_secs(60);
/// Files of a container, with their numbers of pages.
const FILES: [(&str, usize); 3] = [
    ("Pirkimo sutartis Nr. 2026-118.pdf", 1),
    ("1 priedas. Techninė specifikacija ir įkainiai.pdf", 3),
    ("2 priedas. Sąmata.pdf", 2),
];

/// Picture of one pixel.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Script: which of a picture, a document and a fault are shown.
const SHOWN: &str = "
    return ['member-picture', 'viewer', 'viewer-fault']
      .map((id) => !document.getElementById(id).hidden);
";

#[tokio::test]
async fn who_signed_before_is_listed_for_the_next_signer() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let persona = demo.smart_id_personas("signs")[0];
    let signers = json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    Demo::ceremony(signing.signers[0].link())
        .sign(persona)
        .await;

    let looked_at = async {
        loop {
            open(&browser, signing.signers[1].link(), "lt").await;
            let row = browser.find(Locator::Css(".signatures li")).await;
            if let Ok(row) = row {
                return row.text().await.expect("the text");
            }
        }
    };
    let listed = tokio::time::timeout(LOOKED_AT, looked_at).await;
    let listed = listed.expect("the signatures are looked at");

    let told = format!("{}: parašas nepažeistas", persona.name.to_uppercase());
    assert!(listed.starts_with(&told), "{listed}");
    browser.assert_accessible("signatures").await;
    browser.scroll_to(".signatures").await;
    browser.illustrate("ceremony-signatures-phone-lt").await;
    browser.close().await;
}

#[tokio::test]
async fn each_file_of_a_container_is_listed_and_can_be_read_on_a_phone() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let files =
        FILES.map(|(name, pages)| json!({"name": name, "content": BASE64.encode(plain(pages))}));
    let request = json!({
        "title": "Pirkimo dokumentai",
        "container": {"format": "asice", "files": files},
        "signers": [{"email": "ona@example.lt", "language": "lt"}],
    });
    let api = demo.signing();
    let created = api.call(Method::POST, "v1/signings", Some(request));
    let created = created.await.expect("the signing is created");
    let page: Url = link_of(&created).parse().expect("an address");

    open(&browser, &page, "lt").await;
    let files = browser.find_all(Locator::Css(".members li")).await;
    assert_eq!(files.expect("a list").len(), 3);
    browser.assert_accessible("a container").await;
    browser.illustrate("ceremony-container-phone-lt").await;
    for (number, (name, pages)) in (1..).zip(FILES) {
        let row = format!(".members li:nth-child({number}) a");
        assert_eq!(browser.text(&row).await, name);
        browser.click(&row).await;
        browser.shown(&format!("{row}[aria-current=true]")).await;
        let last = format!(".sheet:nth-child({pages}):last-child");
        browser.shown(&last).await;
        browser.shown(".sheet[data-drawn] canvas").await;
        let status = browser.text("#viewer-status").await;
        assert_eq!(status, format!("1 psl. iš {pages}"));
    }
    browser.assert_accessible("a file of a container").await;
    browser.close().await;
}

fn link_of(created: &Value) -> &str {
    let link = created["signers"][0]["ceremonyUrl"].as_str();
    link.expect("a link")
}

#[tokio::test]
async fn pictures_of_a_container_are_shown_and_other_files_are_to_be_downloaded() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let (document, dot) = (plain(1), BASE64.decode(DOT).expect("base64"));
    let files: [(&str, &str, &str, &[u8]); 4] = [
        ("a.pdf", "a.pdf", "application/pdf", &document),
        ("b.png", "b.png", "image/png", &dot),
        ("c.png", "c.png", "image/png", b"<script>alert(1)</script>"),
        ("d.txt", "d.txt", "text/plain", b"Kaina"),
    ];
    let signed = SignedContainer::unsigned(&files).sign(ContainerSigning::by(Identity::Ona));
    let (api, container) = (demo.signing(), signed.zip.build());
    let signers = json!([{"email": "jonas@example.lt", "language": "lt"}]);
    let created = api.try_create("pirkimas.asice", &container, signers).await;
    let signing = created.expect("the signing is created");
    let shown = async || browser.execute(SHOWN, Vec::new()).await.expect("a look");

    open(&browser, signing.signers[0].link(), "lt").await;
    browser.shown(".sheet[data-drawn]").await;
    let told = browser.text("#members .notice").await;
    assert!(
        told.starts_with("Kai kurių failų čia parodyti negalime."),
        "{told}"
    );
    browser.click(".members li:nth-child(2) a").await;
    browser.shown("#member-picture").await;
    assert_eq!(shown().await, json!([true, false, false]));
    browser.assert_accessible("a picture").await;
    browser.click(".members li:nth-child(3) a").await;
    browser.shown("#viewer-fault").await;
    assert_eq!(shown().await, json!([false, false, true]));
    browser.click(".members li:nth-child(1) a").await;
    browser.shown(".sheet[data-drawn]").await;
    assert_eq!(shown().await, json!([false, true, false]));
    browser.close().await;
}
