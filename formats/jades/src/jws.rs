//! The flattened JSON serialization (RFC 7515, 7.2.2) with an attached payload.

use std::collections::BTreeSet;

use parafa_format_core::{Refusal, SignatureAlgorithm};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::encoding::{from_base64url, to_base64url};
use crate::json;
use crate::protected_header::ProtectedHeader;
use crate::unsigned_header::UnsignedHeader;

/// Permitted members.
const MEMBERS: [&str; 4] = ["payload", "protected", "header", "signature"];

/// A payload with its signature.
#[derive(Debug)]
pub(crate) struct Jws {
    /// Signed payload, decoded.
    pub(crate) payload: Vec<u8>,
    /// Protected header.
    pub(crate) header: ProtectedHeader,
    /// Unprotected header.
    pub(crate) unsigned: UnsignedHeader,
    /// Value in the form of JWS (RSA: octets, ECDSA: r and s).
    pub(crate) octets: Vec<u8>,
    text: Text,
}

/// Texts of the serialization, as signed and time-stamped.
#[derive(Debug)]
struct Text {
    payload: String,
    protected: String,
    signature: String,
}

/// Returns whether an object with these member names is a JWS in a JSON
/// serialization.
pub(crate) fn is_one(names: &BTreeSet<String>) -> bool {
    let has = |name| names.contains(name);
    (has("signature") || has("signatures")) && (has("payload") || has("protected"))
}

/// Refuses the compact serialization (RFC 7515, 7.1), which has no room for an
/// unprotected header.
pub(crate) fn refuse_compact(text: &[u8]) -> Result<(), Refusal> {
    let text = str::from_utf8(text).unwrap_or_default().trim_end();
    let parts: Vec<_> = text.splitn(4, '.').map(from_base64url).collect();
    match &parts[..] {
        [Some(header), Some(_), Some(_)] if json::object(header).is_ok() => Err(Refusal::new(
            "not-flattened",
            "The document is a JWS in the compact serialization; JAdES is taken in the flattened \
             JSON serialization. Put its three parts into the members \"protected\", \"payload\" \
             and \"signature\" of an object, in this order.",
        )),
        _ => Ok(()),
    }
}

impl Jws {
    /// Reads an object that is JSON without repeated members.
    pub(crate) fn read(text: &[u8]) -> Result<Self, Refusal> {
        let mut members =
            json::named_object(text).map_err(|error| error.refusal("not-json", "The document"))?;
        if members.contains_key("signatures") {
            return Err(not_flattened(
                "The document is a JWS in the general serialization; one signature and the \
                 flattened serialization are expected",
                "signatures",
            ));
        }
        let mut names = members.keys();
        if let Some(name) = names.find(|name| !MEMBERS.contains(&name.as_str())) {
            let detail = format!("A flattened JWS has no member {name:?}");
            return Err(not_flattened(&detail, name));
        }
        if !members.contains_key("payload") {
            return Err(Refusal {
                subjects: vec!["payload".to_owned()],
                ..Refusal::new(
                    "detached-payload",
                    "The payload of the JWS is not inside; put it into the member \"payload\".",
                )
            });
        }
        let text = Text {
            payload: string(&mut members, "payload")?,
            protected: string(&mut members, "protected")?,
            signature: string(&mut members, "signature")?,
        };
        let header = ProtectedHeader::read(&decoded("protected", &text.protected)?)?;
        let unsigned = match members.remove("header") {
            Some(header) => UnsignedHeader::read(header)?,
            None => UnsignedHeader::default(),
        };
        let payload = if header.has_clear_payload() {
            text.payload.clone().into_bytes()
        } else {
            decoded("payload", &text.payload)?
        };
        Ok(Self {
            payload,
            header,
            unsigned,
            octets: decoded("signature", &text.signature)?,
            text,
        })
    }

    /// Returns the input of the signature value (RFC 7515, 5.1).
    pub(crate) fn signing_input(&self) -> String {
        signing_input(&self.text.protected, &self.text.payload)
    }

    /// Returns the input of a signature time-stamp (TS 119 182-1, 5.3.4): the
    /// text of the value, not the octets.
    pub(crate) fn stamped(&self) -> &[u8] {
        self.text.signature.as_bytes()
    }

    /// Returns the value in the catalogue's form (RSA: octets, ECDSA: DER);
    /// `None` if it does not match the algorithm.
    pub(crate) fn value(&self, algorithm: SignatureAlgorithm) -> Option<Vec<u8>> {
        crate::algorithm::from_octets(algorithm, &self.octets)
    }

    /// Serializes the JWS with another unprotected header.
    pub(crate) fn with_unsigned(&self, unsigned: &UnsignedHeader) -> Vec<u8> {
        write(
            &self.text.payload,
            &self.text.protected,
            unsigned,
            &self.text.signature,
        )
    }
}

/// Returns the signing input of encoded parts.
pub(crate) fn signing_input(protected: &str, payload: &str) -> String {
    [protected, ".", payload].concat()
}

/// Returns the text of a signature value.
pub(crate) fn signature_text(octets: &[u8]) -> String {
    to_base64url(octets)
}

/// Serializes encoded parts.
pub(crate) fn write(
    payload: &str,
    protected: &str,
    unsigned: &UnsignedHeader,
    signature: &str,
) -> Vec<u8> {
    #[derive(Serialize)]
    struct Flattened<'a> {
        payload: &'a str,
        protected: &'a str,
        #[serde(skip_serializing_if = "UnsignedHeader::is_empty")]
        header: &'a UnsignedHeader,
        signature: &'a str,
    }

    serde_json::to_vec(&Flattened {
        payload,
        protected,
        header: unsigned,
        signature,
    })
    .expect("texts and JSON values are JSON")
}

fn string(members: &mut Map<String, Value>, name: &str) -> Result<String, Refusal> {
    match members.remove(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(not_flattened(
            &format!("The member {name:?} of the JWS is not there, or is no string"),
            name,
        )),
    }
}

fn decoded(name: &str, text: &str) -> Result<Vec<u8>, Refusal> {
    from_base64url(text).ok_or_else(|| Refusal {
        subjects: vec![name.to_owned()],
        ..Refusal::new(
            "base64url-invalid",
            format!("The member {name:?} of the JWS is not base64url without padding."),
        )
    })
}

fn not_flattened(detail: &str, member: &str) -> Refusal {
    Refusal {
        subjects: vec![member.to_owned()],
        ..Refusal::new("not-flattened", format!("{detail}."))
    }
}
