//! Secrets, and the search for them in every form in which programs write them.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::support::demo::Stored;

/// Least length of what is searched for in all forms: shorter bytes occur by
/// chance.
const LEAST_BYTES: usize = 8;
/// Length of the parts of a document.
const PART: usize = 48;

/// Everything secret or personal in a world.
#[derive(Default)]
pub(super) struct Secrets {
    secrets: Vec<Secret>,
    /// Texts that are stored as they are.
    in_clear: Vec<String>,
}

struct Secret {
    name: String,
    forms: BTreeSet<Vec<u8>>,
}

impl Secrets {
    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) {
        self.add_bytes(text, text.as_bytes());
    }

    /// Adds bytes, by a name for messages.
    pub(super) fn add_bytes(&mut self, name: &str, bytes: &[u8]) {
        assert!(bytes.len() >= LEAST_BYTES, "{name} is too short");
        self.secrets.push(Secret {
            name: name.to_owned(),
            forms: forms(bytes),
        });
    }

    /// Adds a short text that is searched for only as it is.
    pub(super) fn add_as_it_is(&mut self, text: &str) {
        self.secrets.push(Secret {
            name: text.to_owned(),
            forms: [text.into()].into(),
        });
    }

    /// Adds a text that an answer has.
    #[track_caller]
    pub(super) fn add_shown(&mut self, text: &str, answer: &Value) {
        assert!(shows(answer, text), "{text} is not in {answer}");
        self.add(text);
    }

    /// Adds a text that is stored as it is: that it is found shows that the search
    /// reads what is stored.
    pub(super) fn add_in_clear(&mut self, text: &str) {
        self.in_clear.push(text.to_owned());
    }

    /// Adds the beginning, the middle and the end of a document.
    pub(super) fn add_document(&mut self, name: &str, bytes: &[u8]) {
        let last = bytes.len() - PART;
        for begin in [0, last / 2, last] {
            let part = &bytes[begin..begin + PART];
            self.add_bytes(&format!("{name} from byte {begin}"), part);
        }
    }

    /// Asserts that no secret is at any of these places, in any form.
    #[track_caller]
    pub(super) fn assert_absent(&self, stolen: &[Stored]) {
        let found = self.found(stolen);
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Asserts that every text that is stored as it is can be found, and no
    /// secret.
    #[track_caller]
    pub(super) fn assert_only_clear_text(&self, stolen: &[Stored]) {
        for text in &self.in_clear {
            let mut places = stolen.iter();
            let is_found = places.any(|stored| stored.has(text.as_bytes()));
            assert!(is_found, "{text} is not found");
        }
        self.assert_absent(stolen);
    }

    /// Returns the secrets at these places, each with form and place.
    fn found(&self, stolen: &[Stored]) -> Vec<String> {
        let mut found = Vec::new();
        for stored in stolen {
            for secret in &self.secrets {
                let mut forms = secret.forms.iter();
                if let Some(form) = forms.find(|form| stored.has(form)) {
                    let form = String::from_utf8_lossy(form);
                    found.push(format!("{}, as {form}: {}", secret.name, stored.place));
                }
            }
        }
        found
    }
}

/// Returns whether one of an answer's texts contains this one.
pub(super) fn shows(answer: &Value, text: &str) -> bool {
    match answer {
        Value::String(found) => found.contains(text),
        Value::Array(values) => values.iter().any(|value| shows(value, text)),
        Value::Object(members) => members.values().any(|value| shows(value, text)),
        _ => false,
    }
}

/// Returns bytes as they are, and a text also as JSON escapes it; each of these
/// also in hexadecimal, and in base64 wherever they begin in the encoded bytes.
fn forms(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut written = vec![bytes.to_vec()];
    if let Ok(text) = str::from_utf8(bytes) {
        let quoted = json!(text).to_string();
        let escaped = &quoted[1..quoted.len() - 1];
        written.push(escaped.into());
        written.push(in_ascii(escaped).into());
    }
    let mut forms = BTreeSet::new();
    for bytes in written {
        forms.insert(hex::encode(&bytes).into());
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            for before in 0..3 {
                forms.insert(in_base64(engine, before, &bytes));
            }
        }
        forms.insert(bytes);
    }
    forms
}

/// Escapes all characters other than ASCII.
fn in_ascii(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

/// Returns the characters that depend on these bytes alone, if so many bytes of a
/// group come before them.
fn in_base64(engine: &GeneralPurpose, before: usize, bytes: &[u8]) -> Vec<u8> {
    let encoded = [&[0_u8; 2][..before], bytes].concat();
    let groups = encoded.len() / 3;
    let characters = engine.encode(&encoded[..3 * groups]);
    characters[[0, 2, 3][before]..].into()
}

#[test]
fn a_secret_is_found_in_every_form_and_at_every_place_of_base64() {
    let mut secrets = Secrets::default();
    secrets.add("Ona \"Šlaptoji\"");
    let is_found = |bytes: &[u8]| {
        let place = "here".to_owned();
        let bytes = bytes.into();
        !secrets.found(&[Stored { place, bytes }]).is_empty()
    };
    let json = json!({"name": "Ona \"Šlaptoji\"", "of": 1}).to_string();
    assert!(is_found(json.as_bytes()));
    assert!(is_found(hex::encode(&json).as_bytes()));
    assert!(is_found(br#"Ona \"\u0160laptoji\""#));
    for before in ["", "a", "ab", "abc"] {
        let text = format!("{before}{json}");
        assert!(is_found(STANDARD_NO_PAD.encode(&text).as_bytes()), "{text}");
        assert!(is_found(URL_SAFE_NO_PAD.encode(&text).as_bytes()), "{text}");
    }
    assert!(!is_found("Ona \"Slaptoji\"".as_bytes()));
}
