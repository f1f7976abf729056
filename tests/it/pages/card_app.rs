//! The app on a phone that reads a card, from the code that a page shows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::StatusCode;
use serde_json::Value;

use crate::cards::PairedApp;
use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// What nobody was asked to sign.
const OTHER_BYTES: &[u8] = b"something else";

/// An app that has paired.
pub(super) struct CardApp(PairedApp);

impl CardApp {
    /// Chooses the card on the page, and types the code that is shown.
    pub(super) async fn paired(demo: &Demo, browser: &Browser) -> Self {
        browser.click("label[for=method-nfc]").await;
        browser.click("#card").await;
        let code = browser.text("#pairing-code").await;
        Self(PairedApp::by_code(demo, &code).await)
    }

    /// Shows the certificate of a card's key, such as `card-p384/signing`; gives
    /// what is to be signed, if there is anything.
    pub(super) async fn show(&self, key: &str) -> Option<Value> {
        let certificate = self.0.app.certificate_of(key).await;
        let (status, asked) = self.0.post("certificate", &certificate).await;
        (status == StatusCode::OK).then_some(asked)
    }

    /// Has a card sign what was asked for.
    pub(super) async fn sign(&self, card: &str, asked: &Value) {
        let signature = self.0.app.signed(card, asked).await;
        let (status, attempt) = self.0.post("complete", &signature).await;
        assert_eq!(status, StatusCode::OK, "{attempt}");
    }

    /// Has a card sign something else.
    pub(super) async fn sign_other_bytes(&self, card: &str, asked: &Value) {
        let mut other = asked.clone();
        other["dtbs"] = BASE64.encode(OTHER_BYTES).into();
        let signature = self.0.app.signed(card, &other).await;
        let (status, _) = self.0.post("complete", &signature).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}
