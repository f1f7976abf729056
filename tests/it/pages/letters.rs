//! Letters to signers, as mail programs show them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::plain;
use reqwest::Method;
use serde_json::{Value, json};

use super::LANGUAGES;
use crate::diligence::DiligenceCaller;
use crate::support::browser::Browser;
use crate::support::client::SigningClient;
use crate::support::demo::Demo;
use crate::support::outside::letters;

/// Shows the HTML of a letter, checks its accessibility, and takes its picture.
pub(super) async fn show(browser: &Browser, letter: &Value, name: &str) {
    let html = letter["html"].as_str().expect("a letter in HTML");
    let page = format!("data:text/html;base64,{}", BASE64.encode(html));
    browser.goto(&page).await.expect("the letter");
    browser.assert_accessible(name).await;
    browser.illustrate(name).await;
}

fn by_mail(request: &Value) -> Value {
    let mut request = request.clone();
    request["delivery"] = json!("email");
    request["signers"] = json!([
        {"email": "ona@example.lt", "name": "Ona Pavyzdienė", "language": "lt"},
        {"email": "john@example.lt", "name": "John Smith", "language": "en"},
    ]);
    request
}

async fn post(api: &SigningClient, path: &str, body: Value) -> Value {
    let answer = api.call(Method::POST, path, Some(body)).await;
    answer.expect("it is done")
}

/// Letters to the signers.
struct Mailbox<'a> {
    browser: &'a Browser,
    demo: &'a Demo,
    /// Number of letters read so far.
    read: usize,
}

impl Mailbox<'_> {
    /// Reads the letters to both signers, which have these subjects.
    async fn read_both(&mut self, name: &str, subjects: [&str; 2]) {
        let all = letters(self.demo, self.read + 2).await;
        for (language, subject) in LANGUAGES.into_iter().zip(subjects) {
            let mut new = all[self.read..].iter();
            let letter = new.find(|letter| letter["subject"] == subject);
            let letter = letter.unwrap_or_else(|| panic!("{subject}: {all:#?}"));
            show(self.browser, letter, &format!("letter-{name}{language}")).await;
        }
        self.read += 2;
    }
}

#[tokio::test]
async fn everybody_can_read_each_kind_of_letter() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    let mut mailbox = Mailbox {
        browser: &browser,
        demo: &demo,
        read: 0,
    };
    let document = json!({"name": "sutartis.pdf", "content": BASE64.encode(plain(1))});
    let request = by_mail(&json!({"title": "Paslaugų sutartis", "document": document}));
    let created = post(&api, "v1/signings", request.clone()).await;
    let signing = format!(
        "v1/signings/{}",
        created["signingId"].as_str().expect("an id")
    );

    let invitations = [
        "Prašymas pasirašyti: Paslaugų sutartis",
        "Request to sign: Paslaugų sutartis",
    ];
    mailbox.read_both("", invitations).await;
    for signer in created["signers"].as_array().expect("signers") {
        let signer = signer["signerId"].as_str().expect("an id");
        post(
            &api,
            &format!("{signing}/signers/{signer}/remind"),
            json!({}),
        )
        .await;
    }
    let reminders = [
        "Priminimas pasirašyti: Paslaugų sutartis",
        "Reminder to sign: Paslaugų sutartis",
    ];
    mailbox.read_both("reminder-", reminders).await;
    post(&api, &format!("{signing}/cancel"), json!({})).await;
    let retractions = [
        "Pasirašyti nebereikia: Paslaugų sutartis",
        "You no longer need to sign: Paslaugų sutartis",
    ];
    mailbox.read_both("retraction-", retractions).await;
    post(&demo.sandbox(), "v1/signings", request).await;
    let tests = [
        "[BANDYMAS] Prašymas pasirašyti: Paslaugų sutartis",
        "[TEST] Request to sign: Paslaugų sutartis",
    ];
    mailbox.read_both("sandbox-", tests).await;
    let other = json!({"name": "priedas.pdf", "content": BASE64.encode(plain(2))});
    let batch = json!({"title": "Darbo sutartys", "documents": [document, other]});
    post(&api, "v1/batches", by_mail(&batch)).await;
    let invitations = [
        "Prašymas pasirašyti: Darbo sutartys",
        "Request to sign: Darbo sutartys",
    ];
    mailbox.read_both("batch-", invitations).await;

    let order = json!({
        "entityCode": "999000009", "subjectRole": "board_member", "purpose": "AML_KYC",
        "delivery": "email", "subjectEmail": "ona@example.lt",
    });
    DiligenceCaller::live(&demo).orders(&order).await;
    let last = &letters(&demo, mailbox.read + 1).await[mailbox.read];
    let text = last["text"].as_str().expect("text");
    assert!(
        text.contains("prašo") && text.contains("asks you"),
        "{text}"
    );
    show(&browser, last, "letter-order").await;
    let mail = format!("{}/", demo.world.world.mail);
    browser.goto(&mail).await.expect("the demo's mail");
    browser.shown("iframe").await;
    browser.assert_accessible("the demo's mail").await;
    browser.illustrate("mail").await;
    browser.close().await;
}
