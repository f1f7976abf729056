//! Phone app that reads a card, paired by the code on a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::StatusCode;
use serde_json::Value;

use crate::cards::PairedApp;
use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// Bytes that no attempt asks to sign.
const OTHER_BYTES: &[u8] = b"something else";

pub(super) struct CardApp(PairedApp);

impl CardApp {
    /// Chooses the card on the page, and enters the displayed code in the app.
    pub(super) async fn paired(demo: &Demo, browser: &Browser) -> Self {
        browser.click("label[for=method-nfc]").await;
        browser.click("#card").await;
        let code = browser.text("#pairing-code").await;
        Self(PairedApp::by_code(demo, &code).await)
    }

    /// Sends the certificate of a card's key, such as `card-p384/signing`;
    /// returns the data to be signed, if any.
    pub(super) async fn show(&self, key: &str) -> Option<Value> {
        let certificate = self.0.app.certificate_of(key).await;
        let (status, asked) = self.0.post("certificate", &certificate).await;
        (status == StatusCode::OK).then_some(asked)
    }

    /// Signs the requested data with a card.
    pub(super) async fn sign(&self, card: &str, asked: &Value) {
        let signature = self.0.app.signed(card, asked).await;
        let (status, attempt) = self.0.post("complete", &signature).await;
        assert_eq!(status, StatusCode::OK, "{attempt}");
    }

    /// Signs other data with a card.
    pub(super) async fn sign_other_bytes(&self, card: &str, asked: &Value) {
        let mut other = asked.clone();
        other["dtbs"] = BASE64.encode(OTHER_BYTES).into();
        let signature = self.0.app.signed(card, &other).await;
        let (status, _) = self.0.post("complete", &signature).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}
