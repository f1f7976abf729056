//! Signers' messages when a dependency of the page fails, or when content
//! exceeds the page's limits.

use parafa_fixtures::hostile;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use reqwest::Url;
use serde_json::json;

use super::{LANGUAGES, SCREENS, Told, link, open, replace_posted, scan, visit};
use crate::support::browser::Browser;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::operator::done;

/// Maximum number of signatures in the page's list.
const MOST_SIGNATURES: usize = 50;

const MEMBERS_UNKNOWN: Told = [
    "Failų sąrašo parodyti nepavyko. Atsisiųskite dokumentą arba atnaujinkite puslapį.",
    "The list of files could not be loaded. Download the document, or reload the page.",
];
const SIGNATURES_UNKNOWN: Told = [
    "Dokumente jau yra parašų, bet jų patikrinti nepavyko. Pasirašyti jums tai netrukdo.",
    "The document already has signatures, but they could not be checked. You can still sign it.",
];
const MORE_SIGNATURES: Told = ["Dar parašų: 2", "More signatures: 2"];
const VIEWER_LOCKED: Told = [
    "Dokumentas apsaugotas slaptažodžiu, todėl čia jo parodyti negalime. Atsisiųskite jį ir \
     perskaitykite savo įrenginyje, o tada grįžkite pasirašyti.",
    "The document is protected by a password and cannot be shown here. Download it, read it on \
     your device, then come back to sign.",
];
const SIGNING_PAUSED: Told = [
    "Pasirašymas laikinai sustabdytas. Bandykite vėliau; jei vis tiek nepavyks, kreipkitės į \
     nuorodos siuntėją.",
    "Signing is temporarily unavailable. Try again later; if that does not help, contact the \
     person who sent you the link.",
];
const TROUBLE: Told = ["Puslapio parodyti nepavyko", "The page could not be shown"];
const TROUBLE_EXPLAINED: Told = [
    "Mūsų sistema laikinai sutriko; jūsų nuoroda tebegalioja. Po minutės atverkite ją dar kartą.",
    "Something went wrong on our side; your link still works. Open it again in a minute.",
];
const SERVICE_FAULT: Told = [
    "Mūsų sistema laikinai sutriko; jūsų nuoroda tebegalioja. Po minutės bandykite dar kartą.",
    "Something went wrong on our side; your link still works. Try again in a minute.",
];
const SOMETHING_FAILED: Told = [
    "Nepavyko. Atnaujinkite puslapį ir bandykite dar kartą.",
    "That did not work. Reload the page and try again.",
];
const TOO_LATE: Told = [
    "Nutraukti nebegalima: jūsų įrenginyje jau pasirašyta. Jei pasirašyti nenorėjote, praneškite \
     siuntėjui.",
    "It is too late to cancel: you have already signed on your device. If you did not want to \
     sign, tell the sender.",
];

/// Returns a container with this many signatures and a locked file.
fn locked_container(signatures: usize) -> Vec<u8> {
    let locked = hostile::ALL.iter().find(|one| one.code == "encrypted");
    let locked = locked.expect("a locked document").bytes();
    let files: [(&str, &str, &str, &[u8]); 1] = [("a.pdf", "a.pdf", "application/pdf", &locked)];
    let sign = |container: SignedContainer, _| container.sign(ContainerSigning::by(Identity::Ona));
    let unsigned = SignedContainer::unsigned(&files);
    (0..signatures).fold(unsigned, sign).zip.build()
}

/// Creates a signing of a container and returns its signer's link.
async fn link_to_container(demo: &Demo, container: &[u8]) -> Url {
    let (api, signers) = (demo.signing(), json!([{"email": "jonas@example.lt"}]));
    let created = api.try_create("pirkimas.asice", container, signers).await;
    created.expect("it is created").signers[0].link().clone()
}

#[tokio::test]
async fn more_signatures_than_are_listed_are_counted_and_a_locked_file_is_to_be_downloaded() {
    let demo = Demo::start();
    let page = link_to_container(&demo, &locked_container(MOST_SIGNATURES + 2)).await;
    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        open(&browser, &page, LANGUAGES[number]).await;

        assert_eq!(browser.text("#viewer-fault").await, VIEWER_LOCKED[number]);
        let more = browser.text(".signatures ul + p").await;
        assert_eq!(more, MORE_SIGNATURES[number]);
        browser.assert_accessible("a locked document").await;
        browser.close().await;
    }
}

#[tokio::test]
async fn a_page_says_what_it_cannot_tell_while_a_format_is_out_of_use() {
    let demo = Demo::start();
    let page = link_to_container(&demo, &locked_container(1)).await;
    done(&demo.data(), &["plugin", "disable", "asice"]);
    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        open(&browser, &page, LANGUAGES[number]).await;

        let of_files = browser.text(".document > .notice").await;
        assert_eq!(of_files, MEMBERS_UNKNOWN[number]);
        let of_signatures = browser.text(".signatures .notice").await;
        assert_eq!(of_signatures, SIGNATURES_UNKNOWN[number]);
        browser.assert_accessible("a format out of use").await;
        browser.close().await;
    }
}

#[tokio::test]
async fn a_signer_whose_only_method_is_switched_off_may_still_read_and_decline() {
    let mut demo = Demo::start();
    let signer = json!({"email": "ona@example.lt", "methods": ["nfc"]});
    let pages = [link(&demo, signer.clone()).await, link(&demo, signer).await];
    demo.stop();
    demo.start_again_with("PARAFA_CARD__ENABLED", "false");
    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        open(&browser, &pages[number], LANGUAGES[number]).await;

        browser.shown(".sheet[data-drawn]").await;
        assert_eq!(
            browser.text("#choose h2 + .fault").await,
            SIGNING_PAUSED[number]
        );
        browser.assert_accessible("signing is paused").await;
        browser.click("#decline summary").await;
        browser.click("#confirm-decline").await;
        browser.shown("#declined").await;
        browser.close().await;
    }
}

#[tokio::test]
async fn whoever_meets_a_server_in_trouble_reads_that_the_link_is_still_good() {
    if !keeps_files() {
        return;
    }
    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        let demo = Demo::start();
        let page = link(&demo, json!({"email": "ona@example.lt"})).await;
        open(&browser, &page, LANGUAGES[number]).await;
        browser.shown(".sheet[data-drawn]").await;
        let keys = std::fs::read_dir(demo.data().join("keys")).expect("a folder");
        for key in keys {
            std::fs::write(key.expect("an entry").path(), "damaged").expect("a damaged file");
        }

        browser.click("#scan").await;
        assert_eq!(browser.text("#start-fault").await, SERVICE_FAULT[number]);
        visit(&browser, &page, LANGUAGES[number]).await;
        assert_eq!(browser.text("h1").await, TROUBLE[number]);
        assert_eq!(browser.text("h1 + p").await, TROUBLE_EXPLAINED[number]);
        browser.assert_accessible("a page in trouble").await;
        browser
            .assert_complains_of("503 (Service Unavailable)")
            .await;
        browser.close().await;
    }
}

#[tokio::test]
async fn an_attempt_that_does_not_start_and_one_that_is_too_late_to_cancel_are_told() {
    let demo = Demo::start();
    let world = WorldControl::of(&demo);
    for (screen, number) in SCREENS {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        browser.withhold_news().await;
        let page = link(&demo, json!({"email": "ona@example.lt"})).await;
        open(&browser, &page, LANGUAGES[number]).await;

        replace_posted(&browser, "documentSha256", "documentSha").await;
        browser.click("#scan").await;
        let told = browser.text("#start-fault").await;
        assert_eq!(told, SOMETHING_FAILED[number]);
        browser.assert_complains_of("400 (Bad Request)").await;

        world.spoil("tsa", json!({"fault": "down"})).await;
        browser.click("#scan").await;
        browser.shown("#give-up").await;
        let ceremony = Demo::ceremony(&page);
        ceremony
            .awaits(|attempt| attempt.device_link.is_some())
            .await;
        scan(&demo, &page).await;
        ceremony
            .awaits(|attempt| attempt.phase == "completing")
            .await;
        browser.click("#give-up").await;
        assert_eq!(browser.text("#give-up-fault").await, TOO_LATE[number]);
        browser.assert_accessible("too late to cancel").await;
        browser.assert_complains_of("409 (Conflict)").await;
        world.mend("tsa").await;
        browser.close().await;
    }
}
