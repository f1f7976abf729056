//! Outcomes of attempts by each method, and the signers' messages. Others are
//! in `failures`, except for those that no service of the world can provoke.

use fantoccini::Locator;
use parafa_fixtures::plain;
use serde_json::json;

use super::card_app::CardApp;
use super::{LANGUAGES, REFUSED, Told, link, open, visit};
use crate::support::browser::{Browser, Screen};
use crate::support::client::Ceremony;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::turns::PairedCard;

/// Signer and method.
#[derive(Debug)]
enum Way {
    SmartId(&'static str),
    MobileId(&'static str),
    /// Keys whose certificates an app sends one after the other. If it is asked
    /// to sign in the end, it signs other data.
    Card(&'static [&'static str]),
}

const AGAIN: Told = ["Pradėti iš naujo", "Start again"];
const NO_SMART_ID: Told = [
    "Neradome Smart-ID paskyros, kuria galima pasirašyti kvalifikuotu elektroniniu parašu. \
     Patikrinkite šalį ir asmens kodą. Jei jie teisingi, rinkitės kitą būdą.",
    "No Smart-ID account that can make qualified signatures was found. Check the country and \
     the personal code. If they are right, choose another method.",
];
const NO_MOBILE_ID: Told = [
    "Neradome mobiliojo parašo (Mobile‑ID), kuriuo galima pasirašyti kvalifikuotu \
     elektroniniu parašu. Patikrinkite telefono numerį ir asmens kodą. Jei jie teisingi, \
     rinkitės kitą būdą.",
    "No Mobile-ID that can make qualified signatures was found. Check the phone number and \
     the personal code. If they are right, choose another method.",
];
const SMART_ID_REVOKED: Told = [
    "Jūsų Smart-ID paskyra panaikinta arba sustabdyta. Kreipkitės į Smart-ID klientų aptarnavimą \
     arba rinkitės kitą būdą.",
    "Your Smart-ID account has been closed or suspended. Contact Smart-ID support, or choose \
     another method.",
];
const SMART_ID_EXPIRED: Told = [
    "Jūsų Smart-ID paskyra nebegalioja. Smart-ID programėlėje susikurkite naują paskyrą arba \
     rinkitės kitą būdą.",
    "Your Smart-ID account has expired. Create a new one in the Smart-ID app, or choose another \
     method.",
];
const MOBILE_ID_REVOKED: Told = [
    "Jūsų mobilusis parašas atšauktas arba sustabdytas. Kreipkitės į savo mobiliojo ryšio \
     operatorių arba rinkitės kitą būdą.",
    "Your Mobile-ID has been revoked or suspended. Contact your mobile operator, or choose another \
     method.",
];
const MOBILE_ID_EXPIRED: Told = [
    "Jūsų mobilusis parašas nebegalioja. Kreipkitės į savo mobiliojo ryšio operatorių arba \
     rinkitės kitą būdą.",
    "Your Mobile-ID has expired. Contact your mobile operator, or choose another method.",
];
const CARD_REVOKED: Told = [
    "Jūsų kortelės sertifikatas atšauktas arba sustabdytas. Kreipkitės į kortelę išdavusią įstaigą \
     arba rinkitės kitą būdą.",
    "The certificate on your card has been revoked or suspended. Contact the authority that \
     issued the card, or choose another method.",
];
const CARD_EXPIRED: Told = [
    "Jūsų kortelės sertifikatas nebegalioja. Kreipkitės į kortelę išdavusią įstaigą arba rinkitės \
     kitą būdą.",
    "The certificate on your card has expired. Contact the authority that issued the card, or \
     choose another method.",
];
const CARD_NOT_QUALIFIED: Told = [
    "Kortelėje nėra kvalifikuoto elektroninio parašo sertifikato. Kreipkitės į kortelę išdavusią \
     įstaigą arba rinkitės kitą būdą.",
    "The card has no certificate for qualified signatures. Contact the authority that issued the \
     card, or choose another method.",
];
const UNTRUSTED: Told = [
    "Jūsų sertifikato išdavėjas čia nepripažįstamas. Rinkitės kitą būdą.",
    "The issuer of your certificate is not accepted here. Choose another method.",
];
const CARD_UNTRUSTED: Told = [
    "Šia kortele čia pasirašyti negalima: jos sertifikate turi būti Lietuvos asmens kodas, o \
     išdavėjas turi būti čia pripažįstamas. Rinkitės kitą būdą.",
    "This card is not accepted here: its certificate must have a Lithuanian personal code and come \
     from an issuer that is accepted here. Choose another method.",
];
const PURPOSE: Told = [
    "Šis sertifikatas neskirtas dokumentams pasirašyti. Rinkitės kitą būdą.",
    "This certificate is not for signing documents. Choose another method.",
];
const DEVICE_ERROR: Told = [
    "Nepavyko pasiekti jūsų telefono arba jo SIM kortele pasirašyti negalima. Patikrinkite, ar \
     telefonas įjungtas ir ar yra mobilusis ryšys, tada bandykite dar kartą. Jei nepavyks, \
     kreipkitės į savo mobiliojo ryšio operatorių arba rinkitės kitą būdą.",
    "Your phone could not be reached, or its SIM cannot sign with Mobile-ID. Check that the phone \
     is on and has coverage, then try again. If that does not help, contact your mobile operator, \
     or choose another method.",
];
const TIMEOUT: Told = [
    "Nesulaukėme patvirtinimo mobiliuoju parašu. Turėkite telefoną po ranka ir bandykite dar \
     kartą.",
    "You did not confirm with Mobile-ID in time. Have your phone ready and try again.",
];
const BAD_SIGNATURE: Told = [
    "Įrenginio sukurtas parašas netinka šiam dokumentui. Bandykite dar kartą; jei tai pasikartos, \
     rinkitės kitą būdą.",
    "The signature that your device made does not match this document. Try again; if it happens \
     again, choose another method.",
];
const OTHER_CARD: Told = [
    "Nuskaityta ne ta pati kortelė, kuria pradėjote, arba jos sertifikate nurodytas kitas \
     asmens kodas, nei įvedėte. Bandykite dar kartą ir naudokite tik savo kortelę.",
    "This is not the card that was read first, or its certificate has a different personal code \
     from the one you entered. Try again, and use only your own card.",
];
const COMPLETING: Told = [
    "Jūs jau pasirašėte. Pridedame laiko žymą…",
    "You have signed. Adding a time-stamp…",
];
const COMPLETING_EXPLAINED: Told = [
    "Daugiau nieko daryti nereikia. Palaukite čia arba vėliau dar kartą atverkite nuorodą: jei \
     pasirašyti nepavyks, puslapyje tai bus parašyta.",
    "There is nothing left for you to do. Wait here, or open the link again later: if the \
     document could not be signed, the page will say so.",
];
const NO_TIMESTAMP: Told = [
    "Dokumentas nepasirašytas: nepavyko gauti parašui būtinos laiko žymos. Bandykite dar kartą po \
     kelių minučių.",
    "The document is not signed: the time-stamp that your signature needs could not be obtained. \
     Try again in a few minutes.",
];
const CHANGED: Told = [
    "Dokumentas pasikeitė: jį ką tik pasirašė kitas asmuo. Peržiūrėkite dokumentą ir, jei \
     sutinkate, pasirašykite.",
    "The document has changed: someone else has just signed it. Read it again, and sign it if \
     you agree.",
];
/// Script: whether the message that prevents an attempt is in the window, and
/// the focused element.
const START_FAULT: &str = "
    const { top, bottom } = document.getElementById('start-fault').getBoundingClientRect();
    return [Math.round(top) >= 0 && bottom <= innerHeight, document.activeElement.id];
";

/// Signers with their outcome, and the name of its picture, if any.
#[rustfmt::skip]
const OUTCOMES: [(Way, Told, Option<&str>); 19] = [
    (Way::SmartId("smart-id-no-account"), NO_SMART_ID, Some("no-account")),
    (Way::SmartId("smart-id-basic"), NO_SMART_ID, None),
    (Way::SmartId("smart-id-revoked"), SMART_ID_REVOKED, None),
    (Way::SmartId("smart-id-expired"), SMART_ID_EXPIRED, Some("expired")),
    (Way::SmartId("smart-id-untrusted"), UNTRUSTED, None),
    (Way::MobileId("mobile-id-no-account"), NO_MOBILE_ID, None),
    (Way::MobileId("mobile-id-refuses"), REFUSED, Some("refused")),
    (Way::MobileId("mobile-id-sim-error"), DEVICE_ERROR, Some("device-error")),
    (Way::MobileId("mobile-id-timeout"), TIMEOUT, None),
    (Way::MobileId("mobile-id-revoked"), MOBILE_ID_REVOKED, None),
    (Way::MobileId("mobile-id-expired"), MOBILE_ID_EXPIRED, None),
    (Way::Card(&["card-not-qualified/signing"]), CARD_NOT_QUALIFIED, None),
    (Way::Card(&["card-revoked/signing"]), CARD_REVOKED, None),
    (Way::Card(&["card-expired/signing"]), CARD_EXPIRED, None),
    (Way::Card(&["card-foreign/signing"]), CARD_UNTRUSTED, None),
    (Way::Card(&["card-untrusted/signing"]), CARD_UNTRUSTED, Some("card-untrusted")),
    (Way::Card(&["card-p384/authentication"]), PURPOSE, None),
    (Way::Card(&["card-p384/signing", "card-p256/signing"]), OTHER_CARD, None),
    (Way::Card(&["card-p384/signing"]), BAD_SIGNATURE, None),
];

impl Way {
    /// Acts as this person, on the page and outside of it.
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
                field.clear().await.expect("an empty field");
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

async fn come_to_each_in(screen: Screen, number: usize) {
    let Some(browser) = Browser::on(screen).await else {
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
        if let Some(picture) = picture
            && screen.name == "phone"
        {
            let name = format!("outcome-{picture}-phone-{language}");
            browser.illustrate(&name).await;
        }
        browser.click("#again").await;
        browser.shown("#choose").await;
    }
    browser.close().await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_on_a_phone_in_lithuanian() {
    come_to_each_in(Screen::PHONE, 0).await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_on_a_phone_in_english() {
    come_to_each_in(Screen::PHONE, 1).await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_on_a_desktop_in_lithuanian() {
    come_to_each_in(Screen::DESKTOP, 0).await;
}

#[tokio::test]
async fn what_each_method_comes_to_is_told_on_a_desktop_in_english() {
    come_to_each_in(Screen::DESKTOP, 1).await;
}

#[tokio::test]
async fn whoever_has_signed_may_go_while_time_stamps_are_not_to_be_had_and_is_told_when_none_came()
{
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start_with(&[("PARAFA_LIMITS__FINISH_HOURS", "1".to_owned())]);
    let world = WorldControl::of(&demo);
    let persona = demo.smart_id_personas("signs")[0];
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        world.spoil("tsa", json!({"fault": "down"})).await;
        let signers = json!([
            {"email": "ona@example.lt", "language": language},
            {"email": "jonas@example.lt"},
        ]);
        let signing = demo.signing().create(&plain(1), signers).await;
        let page = signing.signers[0].link();
        open(&browser, page, language).await;

        browser.start_signing(&persona.personal_code).await;

        let told = browser.text("#completing h2").await;
        assert_eq!(told, COMPLETING[number]);
        let told = browser.text("#completing p").await;
        assert_eq!(told, COMPLETING_EXPLAINED[number]);
        browser.assert_accessible("completing").await;
        let name = format!("ceremony-completing-phone-{language}");
        browser.illustrate(&name).await;
        // The page's session storage is lost with its window.
        let forgotten = browser.execute("sessionStorage.clear()", Vec::new()).await;
        forgotten.expect("a script runs");
        browser.goto("about:blank").await.expect("another page");
        demo.move_clock("+2h");
        let ended = Demo::ceremony(page).ended_attempt().await;
        assert_eq!(ended.phase, "failed");

        visit(&browser, page, language).await;
        let told = browser.text("#failure").await;
        assert_eq!(told, NO_TIMESTAMP[number]);
        browser.assert_accessible("no time-stamp").await;
        browser.click("#again").await;
        browser.shown("#choose").await;
        world.mend("tsa").await;
        Demo::ceremony(signing.signers[1].link())
            .sign(persona)
            .await;
        assert_changed_is_told(&browser, number).await;
    }
    browser.close().await;
}

/// Asserts that a reloaded page shows the reason where the reader is.
async fn assert_changed_is_told(browser: &Browser, number: usize) {
    assert_eq!(browser.text("#start-fault").await, CHANGED[number]);
    browser.shown(".sheet[data-drawn]").await;
    let fault = browser.execute(START_FAULT, Vec::new()).await;
    let fault = fault.expect("where it is");
    assert_eq!(fault, json!([true, "choose-heading"]));
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

        let card = PairedCard::with(&demo, &first, "card-p384").await;
        let (_, asked) = card.certificate().await;
        browser.shown("#busy").await;
        let sign = browser.shown("#sign").await;
        assert!(!sign.is_enabled().await.expect("a look"));
        let until = first_minute_after(&browser, Demo::ceremony(signing.signers[1].link())).await;
        // The page may have been told of an earlier step, whose time limit was another.
        browser.wait_for_text("#busy", &until).await;
        browser.assert_accessible("busy").await;
        browser.scroll_to(".steps").await;
        let name = format!("ceremony-busy-phone-{language}");
        browser.illustrate(&name).await;
        card.sign(&asked).await;

        assert_changed_is_told(&browser, number).await;
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

/// Returns the latest time of day at which a signer becomes free to sign, as
/// the page formats it.
async fn first_minute_after(browser: &Browser, signer: Ceremony) -> String {
    let until = signer.state().await.busy_until.expect("an end");
    let script = "
        const [until] = arguments;
        const minute = new Date(Math.ceil(Date.parse(until) / 60000) * 60000);
        const two = (number) => String(number).padStart(2, '0');
        return two(minute.getMinutes());
    ";
    let minute = browser
        .execute(script, vec![json!(until.to_string())])
        .await;
    format!(":{}", minute.expect("a time").as_str().expect("text"))
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
    Demo::ceremony(signing.signers[0].link())
        .sign(persona)
        .await;

    browser.start_signing(&persona.personal_code).await;

    assert_changed_is_told(&browser, 0).await;
    assert_ne!(digest().await, before);
    browser.assert_complains_of("409 (Conflict)").await;
    browser.close().await;
}
