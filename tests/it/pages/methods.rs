//! Each method from the page to the signature, on a phone and on a desktop, in
//! both languages.

use fantoccini::Locator;
use parafa_fixtures::plain;
use serde_json::{Value, json};
use url::Url;

use super::card_app::CardApp;
use super::{LANGUAGES, SIGNED, Told, open, scan, visit};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Maximum number of taps from the opened page to the device, besides typing.
const MOST_TAPS: usize = 3;
const CODE: Told = ["Kontrolinis kodas", "Verification code"];
const WAYS: [Way; 5] = [
    Way {
        name: "smart_id",
        method: "smart_id",
        compare: Some([
            "Jei telefone matote tą patį kodą, įveskite Smart-ID PIN2 kodą. Jei kodas kitas, \
             nieko neįveskite ir spauskite „Nutraukti“.",
            "If your phone shows the same code, enter your Smart-ID PIN2. If it shows a \
             different code, enter nothing and press “Cancel”.",
        ]),
    },
    Way {
        name: "mobile_id",
        method: "mobile_id",
        compare: Some([
            "Jei telefone matote tą patį kodą, įveskite mobiliojo parašo sPIN2 kodą (jei turite \
             tik vieną sPIN kodą, įveskite jį). Jei kodas kitas, nieko neįveskite ir spauskite \
             „Nutraukti“.",
            "If your phone shows the same code, enter your Mobile-ID sPIN2, or your sPIN if you \
             have only one. If it shows a different code, enter nothing and press “Cancel”.",
        ]),
    },
    Way {
        name: "nfc",
        method: "nfc",
        compare: Some([
            "Jei programėlėje matote tą patį kodą, įveskite kortelės PIN kodą ir laikykite kortelę \
             prie telefono. Jei kodas kitas, nieko neįveskite ir čia spauskite „Nutraukti“.",
            "If the app shows the same code, enter the card’s PIN and hold the card against the \
             phone. If it shows a different code, enter nothing and press “Cancel” here.",
        ]),
    },
    Way {
        name: "scan",
        method: "smart_id",
        compare: None,
    },
    Way {
        name: "same_device",
        method: "smart_id",
        compare: None,
    },
];

/// A choice of method.
struct Way {
    name: &'static str,
    method: &'static str,
    /// Instruction to compare, or which code to enter where, if a code is
    /// shown.
    compare: Option<Told>,
}

/// Script that records the instruction about a code, which disappears as soon
/// as the phone has answered.
const KEEP_TOLD: &str = "
    sessionStorage.removeItem('told');
    const box = document.getElementById('code-box');
    new MutationObserver(() => {
      if (box.checkVisibility()) sessionStorage.setItem('told', box.innerText);
    }).observe(document.getElementById('waiting'), { attributes: true, childList: true, subtree: true });
";
const TOLD: &str = "return sessionStorage.getItem('told')";

/// A signer's actions.
struct Signing<'a> {
    browser: &'a Browser,
    demo: &'a Demo,
    link: &'a Url,
    language: &'a str,
    screen: Screen,
}

impl Signing<'_> {
    /// Acts as the signer until a code is shown, or until the end if there is
    /// none. Returns a card's app and the data to be signed, if the card has
    /// yet to sign.
    async fn begin(&self, way: &Way, number: &str) -> Option<(CardApp, Value)> {
        let Self { browser, demo, .. } = self;
        // The card's app selects its own tile.
        if way.name != "nfc" {
            let tile = format!("label[for=method-{}]", way.method);
            browser.click(&tile).await;
        }
        match way.name {
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
            "scan" => {
                browser.click("#scan").await;
                browser.shown("#qr").await;
                scan(demo, self.link).await;
            }
            "same_device" => self.go_to_the_app_and_back().await,
            _ => {
                let app = CardApp::paired(demo, browser).await;
                let asked = app.show("card-p384/signing").await;
                return Some((app, asked.expect("the card may sign")));
            }
        }
        None
    }

    /// Follows the link to the app like the demo's app, which calls the return
    /// address on its own; then opens the redirect target in the browser.
    async fn go_to_the_app_and_back(&self) {
        let Self { browser, demo, .. } = self;
        browser.click("#scan").await;
        // A computer shows only the code.
        let link = browser
            .wait()
            .for_element(Locator::Css("#same-device[href]"));
        let app = link.await.expect("a link").attr("href").await;
        let app = app.expect("its attributes").expect("an address");
        browser.goto("about:blank").await.expect("the app");
        let persona = demo.persona_who_scans();
        assert!(demo.follow(&app, "Web2App", persona).await);
        let ended = Demo::ceremony(self.link).ended_attempt().await;
        assert_eq!(ended.phase, "done", "{:?}", ended.error);
        let mut returned = self.link.clone();
        returned.set_fragment(Some("returned"));
        visit(browser, &returned, self.language).await;
    }

    /// Takes a picture on a phone, if pictures are enabled: the state may be
    /// gone within a second.
    async fn draw(&self, state: &str, css: &str) {
        if self.screen.name == "phone" && Browser::illustrates() {
            self.browser.scroll_to(css).await;
            let name = format!("ceremony-{state}-phone-{}", self.language);
            self.browser.illustrate(&name).await;
        }
    }
}

/// Signs by each method, first in Lithuanian and then in English; `numbers` are
/// two spellings of the same phone's number.
async fn sign_on(screen: Screen, numbers: [&str; 2]) {
    let Some(browser) = Browser::on(screen).await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        for way in &WAYS {
            let signer = json!([{"email": "ona@example.lt", "language": language}]);
            let created = api.create(&plain(1), signer).await;
            let signing = Signing {
                browser: &browser,
                demo: &demo,
                link: created.signers[0].link(),
                language,
                screen,
            };
            open(&browser, signing.link, language).await;
            let kept = browser.execute(KEEP_TOLD, Vec::new()).await;
            kept.expect("a script runs");
            let before = browser.taps();

            let card = signing.begin(way, numbers[number]).await;

            // The link that opens an app on the same device is not tapped here.
            let followed = usize::from(["nfc", "same_device"].contains(&way.name));
            let taps = browser.taps() - before + followed;
            if way.compare.is_some() {
                let state = match way.name {
                    "smart_id" => "code".to_owned(),
                    name => format!("code-{name}"),
                };
                signing.draw(&state, "#code-box").await;
            }
            if let Some((app, asked)) = card {
                browser.assert_accessible("a card's code").await;
                app.sign("card-p384", &asked).await;
            }
            let told = browser.text("#done h2").await;
            assert_eq!(told, SIGNED[number], "{}", way.name);
            assert!(taps <= MOST_TAPS, "{}: {taps}", way.name);
            if let Some(compare) = way.compare {
                let told = browser.execute(TOLD, Vec::new()).await.expect("a look");
                let told = told.as_str().expect("a code was shown");
                let lines = told.lines().filter(|line| !line.trim().is_empty());
                let [label, code, sentence] = lines.collect::<Vec<_>>()[..] else {
                    panic!("{}: {told}", way.name)
                };
                assert_eq!(label, CODE[number], "{}", way.name);
                let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
                assert!(is_code, "{}: {code}", way.name);
                assert_eq!(sentence, compare[number], "{}", way.name);
            }
            browser.shown(".sheet[data-drawn]").await;
            signing.draw("done", ".steps").await;
            browser.assert_accessible("signed").await;
            let signer = &api.signing(created.signing_id).await.signers[0];
            assert_eq!(signer.actual_method.as_deref(), Some(way.method));
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn each_method_leads_to_a_signature_on_a_phone_in_both_languages() {
    sign_on(Screen::PHONE, ["8 600 00666", "+370 600 00666"]).await;
}

#[tokio::test]
async fn each_method_leads_to_a_signature_on_a_desktop_in_both_languages() {
    sign_on(Screen::DESKTOP, ["(0-600) 00666", "00370 600 00666"]).await;
}
