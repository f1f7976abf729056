//! The bytes of a document.

use crate::bindings::parafa::format::crypto::Hasher;
use crate::bindings::parafa::format::documents::Blob;
use crate::bindings::parafa::format::types::Refusal;

/// The start of a signature.
const MARK: &str = "\nsignature ";

/// A signature of a document.
pub(crate) struct Signature {
    /// Start of the signature, and end of the signed bytes.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// DER of the signer's certificate.
    pub(crate) certificate: Vec<u8>,
    pub(crate) value: Vec<u8>,
    /// DER of a time-stamp token, or empty.
    pub(crate) token: Vec<u8>,
}

/// Returns the signatures of a document, in their order.
pub(crate) fn signatures(document: &Blob) -> Result<Vec<Signature>, Refusal> {
    let len = u32::try_from(document.len()).map_err(|_| no_toy())?;
    let text = String::from_utf8(document.read(0, len)).map_err(|_| no_toy())?;
    if !text.starts_with("OLD") {
        return Err(no_toy());
    }
    let signatures = text.match_indices(MARK).map(|(start, _)| {
        let line = text.get(start + MARK.len()..)?.lines().next()?;
        let words: Vec<_> = line.split(' ').map(unhex).collect::<Option<_>>()?;
        let [certificate, value, token] = <[Vec<u8>; 3]>::try_from(words).ok()?;
        Some(Signature {
            start: start as u64,
            end: (start + MARK.len() + line.len()) as u64,
            certificate,
            value,
            token,
        })
    });
    signatures.collect::<Option<_>>().ok_or_else(no_toy)
}

/// Returns the line of a signature in a document.
pub(crate) fn line(certificate: &[u8], value: &[u8], token: &[u8]) -> String {
    let [certificate, value, token] = [certificate, value, token].map(hex);
    format!("{MARK}{certificate} {value} {token}")
}

/// Returns the text that a signature at this offset signs.
pub(crate) fn signed(document: &Blob, start: u64) -> Vec<u8> {
    let hasher = Hasher::new("SHA-256");
    hasher.update_blob(document, 0, start);
    hex(&hasher.finish()).into_bytes()
}

pub(crate) fn refusal(code: &str, detail: &str) -> Refusal {
    Refusal {
        code: code.to_owned(),
        detail: detail.to_owned(),
        subjects: Vec::new(),
    }
}

fn no_toy() -> Refusal {
    refusal("not-a-toy", "The document is no toy of 0.2.")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let places = (0..text.len()).step_by(2);
    places
        .map(|place| u8::from_str_radix(text.get(place..place + 2)?, 16).ok())
        .collect()
}
