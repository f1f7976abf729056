//! Use of the page without a mouse, without motion, and without scripts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::key::Key;
use parafa_fixtures::plain;
use serde_json::json;

use super::{link, open};
use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Script: the focused element, by its id or else by its text.
const FOCUSED: &str = "
    const focused = document.activeElement;
    return focused.id || focused.innerText;
";
/// Sequence of the focus from the top of the page to signing.
const WAY_TO_SIGN: [&str; 12] = [
    "Skip to content",
    "Lietuviškai",
    "Go to signing",
    "viewer-out",
    "viewer-in",
    "viewer-size",
    "sheets",
    "Download the document",
    "Document details",
    "method-smart_id",
    "country",
    "personal-code",
];
/// Script: number of running animations.
const MOVING: &str = "return document.getAnimations().length";
/// Time limit for a download.
const DOWNLOADED: Duration = Duration::from_secs(30);

async fn focused(browser: &Browser) -> String {
    let told = browser.execute(FOCUSED, Vec::new()).await;
    let told = told.expect("a focus");
    told.as_str().expect("text").to_owned()
}

#[tokio::test]
async fn whoever_has_a_keyboard_alone_signs_and_downloads() {
    let Some(browser) = Browser::on(Screen::DESKTOP).await else {
        return;
    };
    let demo = Demo::start();
    let signer = json!({"email": "ona@example.lt", "language": "en"});
    let page = link(&demo, signer).await;
    let persona = demo.smart_id_personas("signs")[0];
    let folder = tempfile::tempdir().expect("a temporary folder");
    browser.download_into(folder.path()).await;

    open(&browser, &page, "en").await;
    browser.shown(".sheet[data-drawn]").await;
    for stop in &WAY_TO_SIGN[..3] {
        browser.press(Key::Tab).await;
        assert_eq!(focused(&browser).await, *stop);
    }
    browser.press(Key::Enter).await;
    browser.press(Key::Tab).await;
    assert_eq!(focused(&browser).await, "method-smart_id");

    open(&browser, &page, "en").await;
    browser.shown(".sheet[data-drawn]").await;
    for stop in WAY_TO_SIGN {
        browser.press(Key::Tab).await;
        assert_eq!(focused(&browser).await, stop);
    }
    for stop in ["sign", "scan"] {
        browser.press(Key::Tab).await;
        assert_eq!(focused(&browser).await, stop);
    }
    browser.press(Key::Enter).await;
    browser.shown("#qr").await;
    assert_eq!(focused(&browser).await, "Confirm on your device");
    browser.press(Key::Tab).await;
    assert_eq!(focused(&browser).await, "give-up");
    browser.press(Key::Enter).await;
    browser.shown("#failed").await;
    assert_eq!(focused(&browser).await, "Not signed");
    browser.press(Key::Tab).await;
    assert_eq!(focused(&browser).await, "again");
    browser.press(Key::Enter).await;
    assert_eq!(focused(&browser).await, "personal-code");
    for digit in persona.personal_code.chars() {
        browser.press(digit).await;
    }
    browser.press(Key::Enter).await;

    browser.shown("#done").await;
    assert_eq!(focused(&browser).await, "Signed");
    browser.press(Key::Tab).await;
    assert_eq!(focused(&browser).await, "download");
    browser.press(Key::Enter).await;
    let file = downloaded(folder.path()).await;
    let signed = std::fs::read(&file).expect("the file");
    assert!(signed.starts_with(&plain(1)) && signed.len() > plain(1).len());
    browser.close().await;
}

#[tokio::test]
async fn nothing_moves_where_motion_is_not_wanted() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let page = link(&demo, json!({"email": "ona@example.lt"})).await;
    open(&browser, &page, "lt").await;
    browser.click("#scan").await;
    browser.shown("#qr").await;
    let moving = async || {
        let number = browser.execute(MOVING, Vec::new()).await;
        number.expect("a number").as_u64()
    };

    assert_eq!(moving().await, Some(1), "a wheel turns for the others");
    browser.reduce_motion().await;

    assert_eq!(moving().await, Some(0));
    assert!(!browser.text("#progress").await.is_empty());
    browser.close().await;
}

/// Waits until a download into a folder is complete; returns the file.
async fn downloaded(folder: &Path) -> PathBuf {
    let file = async {
        loop {
            let entries = std::fs::read_dir(folder).expect("a folder");
            let mut files = entries.map(|entry| entry.expect("a file").path());
            if let Some(file) = files.find(|file| file.extension().is_some_and(|is| is == "pdf")) {
                return file;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let file = tokio::time::timeout(DOWNLOADED, file).await;
    file.expect("a download")
}

#[tokio::test]
async fn where_no_script_runs_one_is_told_so_and_can_download_and_decline() {
    // The driver's taps wait for a script; its clicks do not.
    let Some(browser) = Browser::on(Screen::DESKTOP).await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    let signers = json!([{"email": "ona@example.lt", "language": "lt"}]);
    let signing = api.create(&plain(2), signers).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    browser.turn_scripts_off().await;
    browser.download_into(folder.path()).await;

    let page = signing.signers[0].link().as_str();
    browser.goto(page).await.expect("the page");
    let told = browser.text("noscript .fault").await;
    assert!(told.contains("naršyklėje įjunkite „JavaScript“"), "{told}");
    let told = browser.text("noscript p:last-child").await;
    assert!(
        told.contains("atsisiųsti dokumentą arba atsisakyti"),
        "{told}"
    );
    browser.scroll_to(".steps").await;
    browser.illustrate("ceremony-no-script-desktop-lt").await;
    browser.click("section.document > a.button").await;
    let file = downloaded(folder.path()).await;
    assert_eq!(std::fs::read(&file).expect("the file"), plain(2));
    assert_eq!(file.file_name().expect("a name"), "sutartis.pdf");

    browser.click("#decline summary").await;
    let reason = browser.shown("#reason").await;
    reason.send_keys("Ne ta kaina").await.expect("typed text");
    browser.click("#confirm-decline").await;
    assert_eq!(
        browser.text("main:not([data-base]) h1").await,
        "Atsisakėte pasirašyti"
    );
    let signer = &api.signing(signing.signing_id).await.signers[0];
    assert_eq!(signer.decline_reason.as_deref(), Some("Ne ta kaina"));
    browser.close().await;
}
