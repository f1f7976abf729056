//! Answers of the eID providers' services.

mod mobile_id;
mod smart_id;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_http_port::HttpPort;
use parafa_trust::{Certificate, SignatureScheme};
use serde_json::Value;
use url::Url;

use crate::json::edited;
use crate::port::OneAnswer;

pub use mobile_id::MOBILE_ID;
pub use smart_id::SMART_ID;

/// The message to sign.
const MESSAGE: &[u8] = b"what is signed";
const RELYING_PARTY: &str = "DEMO";
const SESSION: &str = "de305d54-75b4-431b-adb2-eb6b9e546014";
const WAIT: Duration = Duration::from_secs(1);
/// HTTP statuses of answers; the first is that of all sound ones.
const STATUSES: [u16; 12] = [200, 400, 401, 403, 404, 429, 471, 472, 480, 500, 503, 580];

/// An answer of a service.
struct Answer {
    status: u16,
    body: String,
    /// True if it is the sound answer without an edit.
    is_sound: bool,
}

impl Answer {
    fn sound(body: &Value) -> Self {
        Self {
            status: 200,
            body: body.to_string(),
            is_sound: true,
        }
    }

    /// Returns a sound answer with the edits that the input chooses.
    fn edited(sound: &Value, words: &[&str], input: &mut Unstructured<'_>) -> Result<Self> {
        let status = *input.choose(&STATUSES)?;
        let body = edited(sound, words, input)?;
        Ok(Self {
            is_sound: status == 200 && body == sound.to_string(),
            status,
            body,
        })
    }

    fn port(&self) -> Arc<dyn HttpPort> {
        let body = self.body.as_bytes();
        Arc::new(OneAnswer::with_status(self.status, body))
    }

    /// Parses an answer that the client accepted by another reader; `None` if that one is stricter
    /// about members that the client ignores.
    fn value(&self) -> Option<Value> {
        assert_eq!(self.status, 200);
        serde_json::from_str(&self.body).ok()
    }
}

/// Returns true if the certificate's key signed the message, by the host's verification.
fn verifies(certificate: &[u8], scheme: SignatureScheme, message: &[u8], value: &[u8]) -> bool {
    let certificate = Certificate::from_der(certificate);
    certificate.is_ok_and(|it| it.verify_sha256(scheme, message, value).is_ok())
}

/// Returns the octets of a base64 string.
fn octets(value: &Value) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(value.as_str()?).ok()
}

fn base_url() -> Url {
    let url = Url::parse("https://provider.example/api");
    url.expect("a sound address")
}

/// Returns edits of each sound answer: none, and the removal of each of its first members.
fn seeds(answers: u8) -> Vec<Vec<u8>> {
    let unedited = (0..answers).map(|answer| vec![answer]);
    let removed = (0..answers).flat_map(|answer| {
        let member = move |member| vec![answer, 0, 1, 0, 1, member];
        (0..6).map(member)
    });
    unedited.chain(removed).collect()
}
