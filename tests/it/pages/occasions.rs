//! What signers see when there is more than one document with no signature:
//! signatures of others, files of a container, a reminder.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use fantoccini::Locator;
use parafa_fixtures::plain;
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::open;
use crate::support::browser::Browser;
use crate::support::demo::Demo;
use crate::support::outside::letters;

/// How often a page is opened again until a document has been looked at.
const MOST_PAGES: usize = 20;

#[tokio::test]
async fn who_signed_before_is_listed_for_the_next_signer() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let persona = demo.smart_id_personas("signs")[0];
    let signers = json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let first = Demo::ceremony(signing.signers[0].link());
    let started = first.sign_with_smart_id(&persona.country, &persona.personal_code);
    started.await.expect("the attempt starts");
    assert_eq!(first.ended_attempt().await.phase, "done");

    let listed = async {
        for _ in 0..MOST_PAGES {
            open(&browser, signing.signers[1].link(), "lt").await;
            let row = browser.find(Locator::Css(".signatures li")).await;
            if let Ok(row) = row {
                return row.text().await.expect("the text");
            }
        }
        panic!("the signatures are never looked at")
    };
    let listed = listed.await;

    let told = format!("{}: nepažeistas", persona.name.to_uppercase());
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
    let file =
        |name: &str, content: &[u8]| json!({"name": name, "content": BASE64.encode(content)});
    let request = json!({
        "title": "Pirkimo dokumentai",
        "container": {"format": "asice", "files": [
            file("Pirkimo sutartis Nr. 2026-118.pdf", &plain(1)),
            file("1 priedas. Techninė specifikacija ir įkainiai.pdf", &plain(3)),
            file("2 priedas. Sąmata.pdf", &plain(2)),
        ]},
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
    browser.click(".members li:nth-child(2) a").await;
    browser
        .shown(".members li:nth-child(2) a[aria-current=true]")
        .await;
    browser.shown(".sheet:nth-child(2)").await;

    assert_eq!(browser.text("#viewer-status").await, "1/3 psl.");
    browser.assert_accessible("a file of a container").await;
    browser.close().await;
}

fn link_of(created: &Value) -> &str {
    let link = created["signers"][0]["ceremonyUrl"].as_str();
    link.expect("a link")
}

#[tokio::test]
async fn everybody_can_read_the_reminder() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let request = json!({
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(plain(1))},
        "delivery": "email",
        "signers": [{"email": "ona@example.lt", "name": "Ona Pavyzdienė", "language": "lt"}],
    });
    let api = demo.signing();
    let created = api.call(Method::POST, "v1/signings", Some(request)).await;
    let created = created.expect("the signing is created");
    let remind = format!(
        "v1/signings/{}/signers/{}/remind",
        created["signingId"].as_str().expect("an id"),
        created["signers"][0]["signerId"].as_str().expect("an id"),
    );

    let reminded = api.call(Method::POST, &remind, Some(json!({}))).await;

    reminded.expect("the signer is reminded");
    let reminder = &letters(&demo, 2).await[1];
    assert_eq!(
        reminder["subject"],
        "Priminimas pasirašyti: Paslaugų sutartis"
    );
    let html = reminder["html"].as_str().expect("a letter in HTML");
    assert!(html.contains("primena, kad laukia jūsų parašo"), "{html}");
    let page = format!("data:text/html;base64,{}", BASE64.encode(html));
    browser.goto(&page).await.expect("the letter");
    browser.assert_accessible("a reminder").await;
    browser.illustrate("letter-reminder-lt").await;
    browser.close().await;
}
