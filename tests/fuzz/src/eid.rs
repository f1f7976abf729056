//! Answers of the eID providers' services.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use parafa_http_port::HttpPort;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::json::chosen;
use crate::port::OneAnswer;

/// The message to sign.
pub(crate) const MESSAGE: &[u8] = b"what is signed";
pub(crate) const RELYING_PARTY: &str = "DEMO";
pub(crate) const SESSION: &str = "de305d54-75b4-431b-adb2-eb6b9e546014";
pub(crate) const WAIT: Duration = Duration::from_secs(1);

/// Statuses, the first of a sound answer.
const STATUSES: [u16; 8] = [200, 400, 403, 404, 429, 471, 480, 503];
/// The bit of the first byte that says that the answer follows as it is.
const RAW: u8 = 0x80;

/// An answer of a service.
pub(crate) struct Told {
    /// Number of the sound answer.
    pub(crate) number: usize,
    status: StatusCode,
    body: Vec<u8>,
    /// True without any edit.
    is_sound: bool,
}

impl Told {
    /// The answer that an input makes of one of these sound ones. The first byte has the
    /// number, the status, and whether the rest is the answer itself or edits.
    pub(crate) fn of(input: &[u8], sound: &[Value]) -> Option<Self> {
        let (first, rest) = input.split_first()?;
        let number = usize::from(first & 0x0f) % sound.len();
        let status = STATUSES[usize::from(first >> 4) % STATUSES.len()];
        Some(Self {
            number,
            status: StatusCode::from_u16(status).ok()?,
            body: chosen(&sound[number], first & RAW != 0, rest),
            is_sound: status == 200 && first & RAW == 0 && rest.is_empty(),
        })
    }

    pub(crate) fn port(&self) -> Arc<dyn HttpPort> {
        Arc::new(OneAnswer::with_status(self.status, &self.body))
    }

    /// Asserts that the answer, which was taken, has these texts as strings.
    pub(crate) fn assert_says(&self, texts: &[&str]) {
        assert_eq!(self.status, StatusCode::OK);
        for text in texts {
            assert!(self.says(text), "{text:?} was not told");
        }
    }

    /// Returns true if a text is a string of the answer, or if only the client can read it.
    pub(crate) fn says(&self, text: &str) -> bool {
        let value = serde_json::from_slice::<Value>(&self.body);
        value.map_or(true, |value| has(&value, text))
    }

    /// Asserts that a fault is one of an edited answer, and that its text for operators
    /// has none of the person's numbers.
    pub(crate) fn assert_may_fail(&self, error: &dyn Error, numbers: &[&str]) {
        let error = error.to_string();
        assert!(!self.is_sound, "{error}");
        assert!(!numbers.iter().any(|number| error.contains(number)));
    }
}

fn has(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Array(items) => items.iter().any(|item| has(item, text)),
        Value::Object(members) => members.values().any(|member| has(member, text)),
        _ => false,
    }
}

/// A session as it was stored.
pub(crate) fn stored<T: DeserializeOwned>(session: Value) -> T {
    serde_json::from_value(session).expect("sessions are stored like this")
}

/// Asserts that a session can be stored.
pub(crate) fn assert_can_be_stored<T: DeserializeOwned + PartialEq + Serialize>(session: &T) {
    let value = serde_json::to_value(session).expect("sessions are JSON");
    assert!(stored::<T>(value) == *session);
}

pub(crate) fn base_url() -> Url {
    let url = "https://provider.example/api".parse();
    url.expect("a sound address")
}

/// Each sound answer without an edit, with one, and as it is; and refusals.
pub(crate) fn seeds(sound: &[Value]) -> Vec<Vec<u8>> {
    const REFUSAL: &str = r#"{"errors":[{"code":"NO_SUITABLE_ACCOUNT_FOUND","pointer":"/nonce"}],"traceId":"4a5b-6c"}"#;

    let answers = (0..).zip(sound).flat_map(|(number, sound): (u8, _)| {
        let text = sound.to_string();
        let raw = [&[number | RAW], text.as_bytes()].concat();
        [vec![number], vec![number, 0, 2, 0], raw]
    });
    let statuses = 1..STATUSES.len();
    let refusals = statuses.map(|status| {
        let status = u8::try_from(status << 4).unwrap_or_default();
        [&[status | RAW], REFUSAL.as_bytes()].concat()
    });
    answers.chain(refusals).collect()
}
