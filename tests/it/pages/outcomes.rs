//! What attempts come to by each method, and what signers read then on a phone.
//! What is not here is in `failures`, but for what no service of the world can
//! be made to answer.

use fantoccini::Locator;
use parafa_fixtures::plain;
use serde_json::json;

use super::card_app::CardApp;
use super::{LANGUAGES, Told, link, open};
use crate::support::browser::Browser;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;

/// Who signs by which method.
#[derive(Debug)]
enum Way {
    SmartId(&'static str),
    MobileId(&'static str),
    /// The keys whose certificates an app shows one after the other. If it is
    /// asked to sign in the end, it has something else signed.
    Card(&'static [&'static str]),
}

const AGAIN: Told = ["Pradėti iš naujo", "Start again"];
const NO_ACCOUNT: Told = [
    "Nepavyko rasti paskyros ar sertifikato, kuriais būtų galima pasirašyti kvalifikuotu \
     elektroniniu parašu. Patikrinkite įvestus duomenis ir savo programėlę, telefoną ar kortelę \
     arba rinkitės kitą būdą.",
    "No account or certificate for qualified signatures was found. Check what you typed, and your \
     app, phone or card, or choose another method.",
];
const SMART_ID_REVOKED: Told = [
    "Jūsų Smart-ID atšauktas arba sustabdytas. Kreipkitės į Smart-ID pagalbos tarnybą arba \
     rinkitės kitą būdą.",
    "Your Smart-ID has been revoked or suspended. Turn to the support of Smart-ID, or choose \
     another method.",
];
const SMART_ID_EXPIRED: Told = [
    "Jūsų Smart-ID nebegalioja. Atnaujinkite jį Smart-ID programėlėje arba rinkitės kitą būdą.",
    "Your Smart-ID has expired. Renew it in the Smart-ID app, or choose another method.",
];
const MOBILE_ID_REVOKED: Told = [
    "Jūsų mobilusis parašas atšauktas arba sustabdytas. Kreipkitės į savo mobiliojo ryšio \
     operatorių arba rinkitės kitą būdą.",
    "Your Mobile-ID has been revoked or suspended. Turn to your mobile operator, or choose another \
     method.",
];
const MOBILE_ID_EXPIRED: Told = [
    "Jūsų mobilusis parašas nebegalioja. Kreipkitės į savo mobiliojo ryšio operatorių arba \
     rinkitės kitą būdą.",
    "Your Mobile-ID has expired. Turn to your mobile operator, or choose another method.",
];
const CARD_REVOKED: Told = [
    "Jūsų kortelės sertifikatas atšauktas arba sustabdytas. Kreipkitės į kortelę išdavusią įstaigą \
     arba rinkitės kitą būdą.",
    "The certificate of your card has been revoked or suspended. Turn to whoever issued the card, \
     or choose another method.",
];
const CARD_EXPIRED: Told = [
    "Jūsų kortelės sertifikatas nebegalioja. Kreipkitės į kortelę išdavusią įstaigą arba rinkitės \
     kitą būdą.",
    "The certificate of your card has expired. Turn to whoever issued the card, or choose another \
     method.",
];
const UNTRUSTED: Told = [
    "Jūsų sertifikato išdavėjas čia nepripažįstamas. Rinkitės kitą būdą.",
    "The issuer of your certificate is not accepted here. Choose another method.",
];
const CARD_UNTRUSTED: Told = [
    "Čia galima pasirašyti tik tokia kortele, kurios sertifikate nurodytas Lietuvos asmens kodas \
     ir kurios išdavėjas čia pripažįstamas. Rinkitės kitą būdą.",
    "Only cards are accepted here whose certificate has a Lithuanian personal code and whose \
     issuer is recognised here. Choose another method.",
];
const PURPOSE: Told = [
    "Šis sertifikatas neskirtas pasirašyti. Rinkitės kitą būdą.",
    "This certificate is not one for signing. Choose another method.",
];
const DEVICE_ERROR: Told = [
    "Nepavyko pasiekti jūsų telefono, programėlės ar kortelės arba jais pasirašyti negalima. \
     Patikrinkite, ar telefonas įjungtas ir ar yra ryšys, tada bandykite dar kartą.",
    "Your phone, app or card could not be reached or cannot sign. Check that the phone is on and \
     has coverage, and try again.",
];
const BAD_SIGNATURE: Told = [
    "Įrenginio sukurtas parašas netinka šiam dokumentui. Bandykite dar kartą; jei tai \
     pasikartos, rinkitės kitą būdą.",
    "The signature that your device made does not fit this document. Try again; if it happens \
     again, choose another method.",
];
const OTHER_CARD: Told = [
    "Ši kortelė priklauso kitam asmeniui nei nuskaityta pirmoji arba jos sertifikate nurodytas \
     kitas asmens kodas, nei įvedėte. Bandykite dar kartą ta pačia savo kortele.",
    "This is another person's card than the one that was read first, or its certificate has \
     another personal code than you entered. Try again with your own card alone.",
];
const REFUSED: Told = [
    "Savo įrenginyje atsisakėte pasirašyti. Jei taip nutiko netyčia, bandykite dar kartą.",
    "You refused to sign on your device. If that was a mistake, try again.",
];
const TIMEOUT: Told = [
    "Nesulaukėme patvirtinimo iš jūsų įrenginio. Laikykite telefoną šalia ir bandykite dar kartą.",
    "We waited, but nothing was confirmed on your device. Have your phone at hand and try again.",
];
const COMPLETING: Told = [
    "Jūs jau pasirašėte. Pridedame laiko žymą…",
    "You have signed. A time-stamp is being added…",
];
const NO_TIMESTAMP: Told = [
    "Dokumentas nepasirašytas: nepavyko gauti laiko žymos, kuri įrodo, kada pasirašėte. Bandykite \
     dar kartą po kelių minučių.",
    "The document is not signed: the time-stamp that proves when you signed could not be had. Try \
     again in a few minutes.",
];
const CHANGED: Told = [
    "Dokumentas pasikeitė: jį ką tik pasirašė kitas asmuo. Peržiūrėkite dokumentą ir tada \
     pasirašykite.",
    "The document has changed: somebody else has just signed it. Look at it again, and sign it \
     then.",
];

/// Who comes to what, and under which name there is a picture of it.
#[rustfmt::skip]
const OUTCOMES: [(Way, Told, Option<&str>); 19] = [
    (Way::SmartId("smart-id-no-account"), NO_ACCOUNT, Some("no-account")),
    (Way::SmartId("smart-id-basic"), NO_ACCOUNT, None),
    (Way::SmartId("smart-id-revoked"), SMART_ID_REVOKED, None),
    (Way::SmartId("smart-id-expired"), SMART_ID_EXPIRED, Some("expired")),
    (Way::SmartId("smart-id-untrusted"), UNTRUSTED, None),
    (Way::MobileId("mobile-id-no-account"), NO_ACCOUNT, None),
    (Way::MobileId("mobile-id-refuses"), REFUSED, Some("refused")),
    (Way::MobileId("mobile-id-sim-error"), DEVICE_ERROR, Some("device-error")),
    (Way::MobileId("mobile-id-timeout"), TIMEOUT, None),
    (Way::MobileId("mobile-id-revoked"), MOBILE_ID_REVOKED, None),
    (Way::MobileId("mobile-id-expired"), MOBILE_ID_EXPIRED, None),
    (Way::Card(&["card-not-qualified/signing"]), NO_ACCOUNT, None),
    (Way::Card(&["card-revoked/signing"]), CARD_REVOKED, None),
    (Way::Card(&["card-expired/signing"]), CARD_EXPIRED, None),
    (Way::Card(&["card-foreign/signing"]), CARD_UNTRUSTED, None),
    (Way::Card(&["card-untrusted/signing"]), CARD_UNTRUSTED, Some("card-untrusted")),
    (Way::Card(&["card-p384/authentication"]), PURPOSE, None),
    (Way::Card(&["card-p384/signing", "card-p256/signing"]), OTHER_CARD, None),
    (Way::Card(&["card-p384/signing"]), BAD_SIGNATURE, None),
];

impl Way {
    /// Does on the page, and beside it, what this person does.
    async fn go(&self, browser: &Browser, demo: &Demo) {
        match self {
            Self::SmartId(id) => {
                browser.click("label[for=method-smart_id]").await;
                browser.start_signing(&demo.persona(id).personal_code).await;
            }
            Self::MobileId(id) => {
                let persona = demo.persona(id);
                browser.click("label[for=method-mobile_id]").await;
                let number = persona.phone_number.as_deref().expect("a number");
                let field = browser.shown("#phone-number").await;
                field.send_keys(number).await.expect("typed text");
                browser.start_signing(&persona.personal_code).await;
            }
            Self::Card(keys) => {
                let app = CardApp::paired(demo, browser).await;
                let mut asked = None;
                for key in *keys {
                    asked = app.show(key).await;
                }
                if let Some(asked) = asked {
                    app.sign_other_bytes("card-p384", &asked).await;
                }
            }
        }
    }
}

async fn come_to_each_in(number: usize) {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let language = LANGUAGES[number];
    for (way, told, picture) in OUTCOMES {
        let signer = json!({"email": "ona@example.lt", "language": language});
        open(&browser, &link(&demo, signer).await, language).await;

        way.go(&browser, &demo).await;

        assert_eq!(browser.text("#failure").await, told[number], "{way:?}");
        assert_eq!(browser.text("#again").await, AGAIN[number]);
        browser.assert_accessible(told[number]).await;
        if let Some(picture) = picture {
            let name = format!("outcome-{picture}-phone-{language}");
            browser.illustrate(&name).await;
        }
        browser.click("#again").await;
        browser.shown("#choose").await;
    }
    browser.close().await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_in_lithuanian() {
    come_to_each_in(0).await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_in_english() {
    come_to_each_in(1).await;
}

#[tokio::test]
async fn whoever_has_signed_may_go_while_time_stamps_are_not_to_be_had_and_is_told_when_none_came()
{
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start_with(&[("PARAFA_LIMITS__FINISH_HOURS", "1".to_owned())]);
    WorldControl::of(&demo)
        .spoil("tsa", json!({"fault": "down"}))
        .await;
    let persona = demo.smart_id_personas("signs")[0];
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        let signer = json!({"email": "ona@example.lt", "language": language});
        open(&browser, &link(&demo, signer).await, language).await;

        browser.start_signing(&persona.personal_code).await;

        let told = browser.text("#completing h2").await;
        assert_eq!(told, COMPLETING[number]);
        browser.assert_accessible("completing").await;
        let name = format!("ceremony-completing-phone-{language}");
        browser.illustrate(&name).await;
        demo.move_clock("+2h");
        let told = browser.text("#failure").await;
        assert_eq!(told, NO_TIMESTAMP[number]);
        browser.assert_accessible("no time-stamp").await;
    }
    browser.close().await;
}

#[tokio::test]
async fn whoever_waits_while_somebody_signs_is_told_that_the_document_is_another_one() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let persona = demo.smart_id_personas("signs")[0];
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        let signers = json!([
            {"email": "jonas@example.lt"},
            {"email": "ona@example.lt", "language": language},
        ]);
        let signing = demo.signing().create(&plain(1), signers).await;
        open(&browser, signing.signers[1].link(), language).await;
        let first = Demo::ceremony(signing.signers[0].link());

        first.open_device_link().await;
        browser.shown("#busy").await;
        browser.assert_accessible("busy").await;
        browser.scroll_to(".steps").await;
        let name = format!("ceremony-busy-phone-{language}");
        browser.illustrate(&name).await;
        let attempt = first.state().await.attempt.expect("an attempt");
        let code = attempt.device_link.expect("a code to scan").qr;
        assert!(demo.follow(&code, "QR", demo.persona_who_scans()).await);

        assert_eq!(browser.text("#start-fault").await, CHANGED[number]);
        browser.assert_accessible("changed").await;
        browser.refresh().await.expect("the page");
        browser.shown("#choose").await;
        let told = browser.find(Locator::Id("start-fault")).await;
        let is_told = told.expect("a line").is_displayed().await;
        assert!(!is_told.expect("a look"), "it is told once");
        browser.start_signing(&persona.personal_code).await;
        browser.shown("#done").await;
    }
    browser.close().await;
}

#[tokio::test]
async fn whoever_begins_with_a_document_that_is_another_one_by_now_is_shown_that_one() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let persona = demo.smart_id_personas("signs")[0];
    browser.withhold_news().await;
    let signers = json!([{"email": "jonas@example.lt"}, {"email": "ona@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    open(&browser, signing.signers[1].link(), "lt").await;
    let digest = async || {
        let page = browser.shown("main").await;
        page.attr("data-sha256").await.expect("an attribute")
    };
    let before = digest().await;
    let first = Demo::ceremony(signing.signers[0].link());
    let started = first.sign_with_smart_id(&persona.country, &persona.personal_code);
    started.await.expect("the attempt starts");
    assert_eq!(first.ended_attempt().await.phase, "done");

    browser.start_signing(&persona.personal_code).await;

    assert_eq!(browser.text("#start-fault").await, CHANGED[0]);
    assert_ne!(digest().await, before);
    browser.assert_complains_of("409 (Conflict)").await;
    browser.close().await;
}
