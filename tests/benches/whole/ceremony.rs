//! A signature from the posted document to the signed one, by the calls of the
//! signer's page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::server::{Server, answer};

/// Personas whose cards sign, in turns: a person may have only a few concurrent
/// attempts.
pub(crate) const CARDS: [&str; 4] = ["card-p256", "card-p384", "card-p521", "card-rsa"];
/// Personal codes of personas whose apps sign, in turns: an app has one request
/// at a time.
pub(crate) const APPS: [&str; 4] = ["50001029996", "40504040001", "30303039914", "39901012239"];
/// Wait of one poll of the state, in milliseconds.
const LOOK_MS: usize = 20_000;

/// A created signing, and the link of its only signer.
pub(crate) struct Created {
    signing: String,
    pub(crate) link: String,
}

/// Returns the body that creates a signing with one signer, of a document of
/// this size in bytes.
pub(crate) fn creation(document: usize) -> Value {
    let document = PdfBuilder::new().build_of_size(document);
    json!({
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(document)},
        "signers": [{"email": "ona@example.lt"}],
    })
}

/// Signs what `body` creates with a card of the demo world. Cards answer at
/// once.
pub(crate) async fn sign_with_card(server: &Server, card: &str, body: Bytes) {
    let created = create(server, body).await;
    let call = async |call: &str, body: &Value| post(server, &created.link, call, body).await;

    call("attempts", &json!({"method": "nfc"})).await;
    let card = format!("{}/{card}/signing", server.demo("/world/cards"));
    let certificate = answer(server.http().get(&card)).await;
    let asked = call("card/certificate", &certificate).await;
    let bytes = BASE64.decode(text(&asked, "dtbs")).expect("base64");
    let digest = json!({"sha256": BASE64.encode(Sha256::digest(bytes))});
    let request = server.http().post(format!("{card}/sign")).json(&digest);
    let mut signed = answer(request).await;
    signed["operationToken"] = asked["operationToken"].clone();
    call("card/complete", &signed).await;
    fetch_signed(server, &created).await;
}

/// Signs what `body` creates with the app of a persona of the demo world, given
/// by personal code. Apps answer after about a second.
pub(crate) async fn sign_with_app(server: &Server, personal_code: &str, body: Bytes) {
    let created = create(server, body).await;
    let attempt = json!({"method": "smart_id", "personalCode": personal_code, "country": "LT"});
    post(server, &created.link, "attempts", &attempt).await;
    fetch_signed(server, &created).await;
}

/// Creates a signing from a body.
pub(crate) async fn create(server: &Server, body: Bytes) -> Created {
    let created = answer(server.post("v1/signings", body)).await;
    Created {
        signing: text(&created, "signingId"),
        link: text(&created["signers"][0], "ceremonyUrl"),
    }
}

async fn post(server: &Server, link: &str, call: &str, body: &Value) -> Value {
    let body = Bytes::from(body.to_string());
    answer(server.post_by_link(&format!("{link}/{call}"), body)).await
}

/// Waits like the signer's page, and fetches the document like the caller.
async fn fetch_signed(server: &Server, created: &Created) {
    loop {
        let state = format!("{}/state?waitMs={LOOK_MS}", created.link);
        let shown = answer(server.http().get(&state)).await;
        match shown["attempt"]["phase"].as_str() {
            Some("done") => break,
            Some("failed") => panic!("{shown}"),
            _ => {}
        }
    }
    let path = format!("v1/signings/{}/document", created.signing);
    let document = server.get(&path).send().await.expect("an answer");
    assert!(document.status().is_success(), "{}", document.status());
    document.bytes().await.expect("the signed document");
}

fn text(answer: &Value, member: &str) -> String {
    let value = answer[member].as_str();
    value.expect("the answer has it").to_owned()
}
