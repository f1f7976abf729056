//! Failures on the page, and the signer's messages about them.

use std::time::Duration;

use fantoccini::Locator;
use reqwest::{Client, Method};
use serde_json::json;

use super::{LANGUAGES, REFUSED, SCREENS, Told, link, open, replace_posted};
use crate::support::browser::{Browser, Screen};
use crate::support::control::WorldControl;
use crate::support::demo::Demo;

/// Time after which an attempt is given up.
const GIVEN_UP_WITHIN: Duration = Duration::from_secs(120);

const WRONG_CODE: Told = [
    "Įrenginyje pasirinkote ne tą kontrolinį kodą. Bandykite dar kartą ir palyginkite kodus.",
    "You chose a different verification code on your device. Try again and compare the codes.",
];
const IDENTITY_MISMATCH: Told = [
    "Ši nuoroda skirta kitam asmeniui. Jei ji skirta jums, pasirašykite savo Smart-ID, \
     mobiliuoju parašu arba asmens tapatybės kortele. Jei ne – nepasirašykite ir praneškite \
     siuntėjui.",
    "This link is for someone else. If it was meant for you, sign with your own Smart-ID, \
     Mobile-ID or ID card. If it was not, do not sign, and tell the sender.",
];
const PROVIDER_UNAVAILABLE: Told = [
    "Smart-ID paslauga šiuo metu neatsako. Bandykite po kelių minučių arba rinkitės kitą \
     būdą.",
    "The Smart-ID service is not responding. Try again in a few minutes, or choose another \
     method.",
];
const DOCUMENT_UNAVAILABLE: Told = [
    "Dokumento čia parodyti nepavyko. Atsisiųskite jį ir perskaitykite savo įrenginyje, o tada \
     grįžkite pasirašyti.",
    "The document cannot be shown here. Download it, read it on your device, then come back to \
     sign.",
];
const CARD_TIMEOUT: Told = [
    "Nesulaukėme, kol pasirašysite kortele. Turėkite telefoną ir kortelę po ranka ir bandykite dar \
     kartą.",
    "You did not sign with your card in time. Have your phone and card ready and try again.",
];
const TIMEOUT: Told = [
    "Nesulaukėme patvirtinimo Smart-ID programėlėje. Turėkite telefoną po ranka ir bandykite dar \
     kartą.",
    "You did not confirm in the Smart-ID app in time. Have your phone ready and try again.",
];
const NOT_SENT: Told = [
    "Nėra ryšio, todėl pasirašymas nepradėtas. Patikrinkite interneto ryšį ir bandykite dar kartą.",
    "There is no connection, so signing has not started. Check your internet connection and try \
     again.",
];

const CANCELLED: Told = [
    "Prašymas pasirašyti atšauktas",
    "The request to sign was cancelled",
];
const CONNECTION_LOST: Told = [
    "Ryšys nutrūko. Bandome prisijungti iš naujo…",
    "Connection lost. Reconnecting…",
];
const TOO_MANY_ATTEMPTS: Told = [
    "Per daug bandymų. Palaukite {minutes} min. ir bandykite dar kartą.",
    "Too many attempts. Wait {minutes} min and try again.",
];
/// Maximum number of attempts of a signer within an hour.
const MOST_ATTEMPTS: usize = 20;

/// Provokes all failures, on one screen and in one language.
async fn fail_on(screen: Screen, number: usize) {
    let Some(browser) = Browser::on(screen).await else {
        return;
    };
    let demo = Demo::start();
    let (language, others) = (LANGUAGES[number], LANGUAGES[1 - number]);
    let signer = json!({"email": "ona@example.lt", "language": others});
    let page = link(&demo, signer).await;

    for (outcome, told) in [
        ("user_refused", REFUSED),
        ("timeout", TIMEOUT),
        ("wrong_code", WRONG_CODE),
    ] {
        open(&browser, &page, language).await;
        let persona = demo.smart_id_personas(outcome)[0];
        browser.start_signing(&persona.personal_code).await;
        assert_eq!(browser.text("#failure").await, told[number], "{outcome}");
        browser.assert_accessible(outcome).await;
    }

    let locked = json!({
        "email": "ona@example.lt", "language": others, "personalCode": "50001029996",
    });
    open(&browser, &link(&demo, locked).await, language).await;
    let somebody_else = demo.persona("smart-id-1");
    browser.start_signing(&somebody_else.personal_code).await;
    let told = browser.text("#failure").await;
    assert_eq!(told, IDENTITY_MISMATCH[number]);

    let world = WorldControl::of(&demo);
    world.spoil("smartId", json!({"fault": "down"})).await;
    open(&browser, &page, language).await;
    browser.start_signing(&somebody_else.personal_code).await;
    let given_up = browser.wait().at_most(GIVEN_UP_WITHIN);
    let given_up = given_up.for_element(Locator::Css("#failed:not([hidden])"));
    given_up.await.expect("the attempt is given up");
    let told = browser.text("#failure").await;
    assert_eq!(told, PROVIDER_UNAVAILABLE[number]);
    world.mend("smartId").await;

    open(&browser, &page, language).await;
    browser.shown(".sheet[data-drawn]").await;
    browser.set_offline(true).await;
    browser.start_signing(&somebody_else.personal_code).await;
    assert_eq!(browser.text("#start-fault").await, NOT_SENT[number]);
    browser.set_offline(false).await;
    browser
        .assert_complains_of("ERR_INTERNET_DISCONNECTED")
        .await;

    browser.block(&format!("{page}/document")).await;
    open(&browser, &page, language).await;
    let told = browser.text("#viewer-fault").await;
    assert_eq!(told, DOCUMENT_UNAVAILABLE[number]);
    browser.close().await;
}

#[tokio::test]
async fn what_goes_wrong_is_told_on_a_phone_in_lithuanian() {
    fail_on(Screen::PHONE, 0).await;
}

#[tokio::test]
async fn what_goes_wrong_is_told_on_a_phone_in_english() {
    fail_on(Screen::PHONE, 1).await;
}

#[tokio::test]
async fn what_goes_wrong_is_told_on_a_desktop_in_lithuanian() {
    fail_on(Screen::DESKTOP, 0).await;
}

#[tokio::test]
async fn what_goes_wrong_is_told_on_a_desktop_in_english() {
    fail_on(Screen::DESKTOP, 1).await;
}

#[tokio::test]
async fn what_the_server_finds_wrong_with_an_attempt_is_told_where_it_was_typed() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signer = json!({
        "email": "ona@example.lt", "language": "en", "methods": ["smart_id", "mobile_id"],
    });
    let page = link(&demo, signer).await;
    let persona = demo.persona("smart-id-1");

    open(&browser, &page, "en").await;
    replace_posted(&browser, &persona.personal_code, "40504040002").await;
    browser.start_signing(&persona.personal_code).await;
    let fault = browser.text("#personal-code-fault").await;
    assert_eq!(
        fault,
        "This personal code is not valid. Check all 11 digits."
    );
    browser.shown("#personal-code[aria-invalid=true]").await;
    let typed = browser.find(Locator::Id("personal-code")).await.unwrap();
    let kept = typed.prop("value").await.unwrap();
    assert_eq!(kept.as_deref(), Some(persona.personal_code.as_str()));
    browser.assert_complains_of("400 (Bad Request)").await;

    browser.click("label[for=method-mobile_id]").await;
    let number = browser.shown("#phone-number").await;
    number.send_keys("+37060000666").await.unwrap();
    replace_posted(&browser, "+37060000666", "60000666").await;
    browser.start_signing(&persona.personal_code).await;
    browser.shown("#phone-number[aria-invalid=true]").await;
    assert!(!browser.text("#phone-number-fault").await.is_empty());
    browser.assert_complains_of("400 (Bad Request)").await;

    browser.click("label[for=method-smart_id]").await;
    replace_posted(&browser, "smart_id", "nfc").await;
    browser.click("#scan").await;
    let fault = browser.text("#start-fault").await;
    assert_eq!(
        fault,
        "You cannot sign this way at the moment. Choose another method."
    );
    browser.assert_complains_of("400 (Bad Request)").await;
    browser.close().await;
}

#[tokio::test]
async fn a_refusal_or_an_end_that_does_not_arrive_is_told_and_can_be_sent_again() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signer = json!({"email": "ona@example.lt", "language": "lt"});
    let page = link(&demo, signer).await;

    open(&browser, &page, "lt").await;
    browser.click("#scan").await;
    browser.shown("#qr").await;
    browser.set_offline(true).await;
    browser.click("#give-up").await;
    let told = browser.text("#give-up-fault").await;
    assert!(told.starts_with("Nutraukti nepavyko."), "{told}");
    browser.set_offline(false).await;
    browser.click("#give-up").await;
    browser.shown("#failed").await;
    browser.click("#again").await;

    browser.click("#decline summary").await;
    browser.set_offline(true).await;
    browser.click("#confirm-decline").await;
    let told = browser.text("#decline-fault").await;
    assert!(told.starts_with("Atsisakymas neišsiųstas."), "{told}");
    let state = Demo::ceremony(&page).state().await;
    assert_eq!(state.signer.status, "pending");
    browser.set_offline(false).await;
    browser
        .assert_complains_of("ERR_INTERNET_DISCONNECTED")
        .await;
    replace_posted(&browser, "{}", "{\"reason\": 1}").await;
    browser.click("#confirm-decline").await;
    let refused = browser.text("#decline-fault").await;
    assert!(refused.starts_with("Tokios priežasties"), "{refused}");
    browser.assert_complains_of("400 (Bad Request)").await;
    browser.click("#confirm-decline").await;
    browser.shown("#declined").await;
    browser.close().await;
}

#[tokio::test]
async fn whoever_has_tried_too_often_is_told_how_long_to_wait() {
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;
    let (ceremony, http) = (Demo::ceremony(&page), Client::new());
    for _ in 0..MOST_ATTEMPTS {
        let started = ceremony.start(&json!({"method": "nfc"})).await;
        started.expect("the attempt starts");
        let given_up = http.delete(format!("{page}/attempts/current")).send().await;
        assert!(given_up.expect("an answer").status().is_success());
    }

    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        open(&browser, &page, LANGUAGES[number]).await;
        browser.click("#scan").await;

        let told = browser.text("#start-fault").await;
        let is_told = |minutes: usize| {
            let minutes = minutes.to_string();
            told == TOO_MANY_ATTEMPTS[number].replace("{minutes}", &minutes)
        };
        assert!((50..=60).any(is_told), "{told}");
        browser.assert_accessible("too many attempts").await;
        browser.assert_complains_of("429 (Too Many Requests)").await;
        browser.close().await;
    }
}

#[tokio::test]
async fn what_happens_while_a_page_is_open_is_told_when_its_connection_is_back() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    for (number, language) in LANGUAGES.into_iter().enumerate() {
        let signing = api.create_plain().await;
        open(&browser, signing.signers[0].link(), language).await;
        browser.shown(".sheet[data-drawn]").await;
        browser.click("label[for=method-nfc]").await;
        browser.click("#card").await;
        browser.shown("#pairing-code").await;

        browser.set_offline(true).await;
        // The code of the card's app expires.
        demo.move_clock("+6m");
        assert_eq!(browser.text("#connection").await, CONNECTION_LOST[number]);
        browser.set_offline(false).await;
        assert_eq!(browser.text("#failure").await, CARD_TIMEOUT[number]);
        browser.assert_accessible("a code that ran out").await;
        browser
            .assert_complains_of("ERR_INTERNET_DISCONNECTED")
            .await;

        let cancel = format!("v1/signings/{}/cancel", signing.signing_id);
        let cancelled = api.call(Method::POST, &cancel, Some(json!({}))).await;
        cancelled.expect("the signing is called off");
        let told = browser.text("main:not([data-base]) h1").await;
        assert_eq!(told, CANCELLED[number]);
        browser.assert_complains_of("404 (Not Found)").await;
    }
    browser.close().await;
}

#[tokio::test]
async fn whoever_comes_back_from_the_app_reads_what_came_of_it() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signer = json!({"email": "ona@example.lt", "language": "lt"});
    let page = link(&demo, signer).await;
    let refuses = demo.smart_id_personas("user_refused")[0];

    open(&browser, &page, "en").await;
    browser.click("#scan").await;
    let same_device = browser.shown("#same-device").await.attr("href").await;
    let same_device = same_device.unwrap().expect("a link for this device");
    browser.goto("about:blank").await.expect("the app");
    assert!(demo.follow(&same_device, "Web2App", refuses).await);
    let ended = Demo::ceremony(&page).ended_attempt().await;
    assert_eq!(ended.error.expect("a failure").code, "user_refused");

    // The phone discarded the page meanwhile.
    browser.goto(page.as_str()).await.expect("the page");
    assert_eq!(browser.text("#failure").await, REFUSED[0]);
    browser.refresh().await.expect("the page");
    browser.shown("#choose").await;
    // The app opened another page.
    let mut returned = page.clone();
    returned.set_path(&format!("{}/callback", page.path()));
    returned.set_query(Some("lang=en&value=a&sessionSecretDigest=b"));
    browser.goto(returned.as_str()).await.expect("the page");
    assert_eq!(browser.text("#failure").await, REFUSED[1]);
    let address = browser.current_url().await.expect("an address");
    assert_eq!(address.path(), page.path());
    assert_eq!(
        (address.query(), address.fragment()),
        (Some("lang=en"), None)
    );
    browser.close().await;
}
