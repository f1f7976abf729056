//! The app on a phone that reads a card, from the code that a page shows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::cards::App;
use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// What nobody was asked to sign.
const OTHER_BYTES: &[u8] = b"something else";

/// An app that has paired.
pub(super) struct CardApp {
    app: App,
    /// Where its calls are.
    base: String,
    token: String,
}

impl CardApp {
    /// Chooses the card on the page, and types the code that is shown.
    pub(super) async fn paired(demo: &Demo, browser: &Browser) -> Self {
        browser.click("label[for=method-nfc]").await;
        browser.click("#card").await;
        let code = json!({"code": browser.text("#pairing-code").await});
        let app = App::of(demo);
        let pairings = demo.world.base_url.join("c/pairings").expect("a path");
        let (status, paired) = app.post(pairings.as_str(), None, &code).await;
        assert_eq!(status, StatusCode::OK, "{paired}");
        let text = |member: &str| paired[member].as_str().expect("text").to_owned();
        Self {
            base: text("base"),
            token: text("cardToken"),
            app,
        }
    }

    /// Shows the certificate of a card's key, such as `card-p384/signing`; gives
    /// what is to be signed, if there is anything.
    pub(super) async fn show(&self, key: &str) -> Option<Value> {
        let certificate = self.app.certificate_of(key).await;
        let (status, asked) = self.post("certificate", &certificate).await;
        (status == StatusCode::OK).then_some(asked)
    }

    /// Has a card sign what was asked for.
    pub(super) async fn sign(&self, card: &str, asked: &Value) {
        let signature = self.app.signed(card, asked).await;
        let (status, attempt) = self.post("complete", &signature).await;
        assert_eq!(status, StatusCode::OK, "{attempt}");
    }

    /// Has a card sign something else.
    pub(super) async fn sign_other_bytes(&self, card: &str, asked: &Value) {
        let mut other = asked.clone();
        other["dtbs"] = BASE64.encode(OTHER_BYTES).into();
        let signature = self.app.signed(card, &other).await;
        let (status, _) = self.post("complete", &signature).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    }

    async fn post(&self, call: &str, body: &Value) -> (StatusCode, Value) {
        let address = format!("{}/{call}", self.base);
        self.app.post(&address, Some(&self.token), body).await
    }
}
