//! Each method from the page to the signature, on a phone and on a desktop, in
//! both languages.

use fantoccini::Locator;
use parafa_fixtures::plain;
use serde_json::json;

use super::card_app::CardApp;
use super::{LANGUAGES, Told, open};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

const METHODS: [&str; 3] = ["smart_id", "mobile_id", "nfc"];
/// A number with the code of the country, and as it is dialled within.
const NUMBERS: Told = ["8 600 00666", "+370 600 00666"];
/// What to compare, and which code to enter where.
const COMPARE: [Told; 3] = [
    [
        "Jei telefone matote tą patį kodą, įveskite Smart-ID PIN2 kodą. Jei kodas kitas, nieko \
         neįveskite ir spauskite „Nutraukti“.",
        "If your phone shows the same code, enter your Smart-ID PIN2. If it shows another one, \
         enter nothing and press “Cancel”.",
    ],
    [
        "Jei telefone matote tą patį kodą, įveskite mobiliojo parašo sPIN kodą. Jei kodas kitas, \
         nieko neįveskite ir spauskite „Nutraukti“.",
        "If your phone shows the same code, enter the sPIN of your Mobile-ID. If it shows another \
         one, enter nothing and press “Cancel”.",
    ],
    [
        "Jei programėlėje matote tą patį kodą, įveskite kortelės PIN2 kodą ir laikykite kortelę \
         prie telefono. Jei kodas kitas, nieko neįveskite ir spauskite „Nutraukti“.",
        "If the app shows the same code, enter the card's PIN2 and keep the card at the phone. If \
         it shows another one, enter nothing and press “Cancel”.",
    ],
];
const SIGNED: Told = ["Pasirašyta", "Signed"];

/// What a person reads who signs by one method.
struct Signing<'a> {
    browser: &'a Browser,
    demo: &'a Demo,
    /// For pictures: the screen and the language.
    shown_on: String,
}

impl Signing<'_> {
    /// Does what a person does until the code is shown; a card's app and what it
    /// is asked to sign are left over.
    async fn begin(&self, method: &str, number: &str) -> Option<(CardApp, serde_json::Value)> {
        let Self { browser, demo, .. } = self;
        browser.click(&format!("label[for=method-{method}]")).await;
        match method {
            "smart_id" => {
                let persona = demo.smart_id_personas("signs")[0];
                browser.start_signing(&persona.personal_code).await;
            }
            "mobile_id" => {
                let field = browser.shown("#phone-number").await;
                field.send_keys(number).await.expect("typed text");
                self.draw("mobile-id", "#choose").await;
                browser.assert_accessible("a mobile number").await;
                let persona = demo.persona("mobile-id-1");
                browser.start_signing(&persona.personal_code).await;
            }
            _ => {
                let app = CardApp::paired(demo, browser).await;
                let asked = app.show("card-p384/signing").await;
                return Some((app, asked.expect("the card may sign")));
            }
        }
        None
    }

    /// Draws a picture of a phone.
    async fn draw(&self, state: &str, css: &str) {
        if self.shown_on.starts_with("phone") {
            self.browser.scroll_to(css).await;
            let name = format!("ceremony-{state}-{}", self.shown_on);
            self.browser.illustrate(&name).await;
        }
    }
}

async fn sign_on(screen: Screen) {
    let Some(browser) = Browser::on(screen).await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        let signing = Signing {
            browser: &browser,
            demo: &demo,
            shown_on: format!("{}-{language}", screen.name),
        };
        for (method, compare) in METHODS.into_iter().zip(COMPARE) {
            let signer = json!([{"email": "ona@example.lt", "language": language}]);
            let created = api.create(&plain(1), signer).await;
            open(&browser, created.signers[0].link(), language).await;

            let card = signing.begin(method, NUMBERS[number]).await;

            let code = browser.text("#verification-code").await;
            let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
            assert!(is_code, "{method}: {code}");
            let state = match method {
                "smart_id" => "code".to_owned(),
                _ => format!("code-{method}"),
            };
            signing.draw(&state, ".steps").await;
            let told = browser.find(Locator::Id("compare")).await.expect("a line");
            let told = told.prop("textContent").await.expect("its text");
            assert_eq!(told.as_deref(), Some(compare[number]), "{method}");
            if let Some((app, asked)) = card {
                browser.assert_accessible("a card's code").await;
                app.sign("card-p384", &asked).await;
            }
            assert_eq!(browser.text("#done h2").await, SIGNED[number], "{method}");
            signing.draw("done", ".steps").await;
            browser.assert_accessible("signed").await;
            let ways = browser
                .find_all(Locator::Css("#to-steps:not([hidden])"))
                .await;
            assert!(ways.expect("a look").is_empty(), "nothing is left to sign");
            let signer = &api.signing(created.signing_id).await.signers[0];
            assert_eq!(signer.actual_method.as_deref(), Some(method));
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn each_method_leads_to_a_signature_on_a_phone_in_both_languages() {
    sign_on(Screen::PHONE).await;
}

#[tokio::test]
async fn each_method_leads_to_a_signature_on_a_desktop_in_both_languages() {
    sign_on(Screen::DESKTOP).await;
}
