//! Wraps a payload in a JAdES baseline signature (ETSI TS 119 182-1, 6).
//!
//! The signed data is a pure function of payload and request, so every call
//! makes it anew. The first call asks for a signature, the second for a
//! time-stamp over the text of the value, the last one writes the document.

mod request;

use parafa_format_core::{
    Answer, Digest, DigestAlgorithm, Environment, Need, NeedKind, Outcome, Part, Payload, Refusal,
    SignRequest, SignatureAlgorithm, Sink, Step, TargetLevel, levels,
};
use parafa_pki::algorithm::digest;
use parafa_pki::answers::{require_timestamp, require_value};
use serde::Serialize;

use crate::document::Document;
use crate::encoding::{to_base64, to_base64url};
use crate::limits::SIGNING_INPUT_BYTES;
use crate::unsigned_header::UnsignedHeader;
use crate::{MEDIA_TYPE, SIGNATURE_ID, algorithm, jws};

use request::Signing;

/// Identifiers of the needs.
const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// Signs a JSON payload with a JAdES baseline signature (ETSI TS 119 182-1,
/// 6.3) in the flattened serialization. The payload is the document, byte for
/// byte.
///
/// Without answers the step needs a `signature`: of the signing input or, if
/// that exceeds one mebibyte, of its digest. At level B-T it then needs a
/// `timestamp`. The unprotected header contains only `etsiU`.
///
/// # Errors
/// The codes of `inspect`, `already-signed`, or `bad-request` when the request
/// or an answer cannot be used.
pub fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let signing = Signing::parse(request)?;
    let Document::Payload(payload) = Document::read(document)? else {
        return Err(already_signed());
    };
    let payload = to_base64url(payload);
    let protected = to_base64url(protected_header(&signing));
    let input = jws::signing_input(&protected, &payload);
    let hash = signing.algorithm.digest();
    let Some(value) = Answer::find(answers, SIGNATURE)? else {
        let to_be_signed = told(environment, &input, Some(signing.algorithm));
        return Ok(Need::new(NeedKind::Signature, SIGNATURE, to_be_signed, hash).into());
    };
    require_value(
        environment,
        signing.signer,
        signing.algorithm,
        input.as_bytes(),
        value,
    )?;
    let octets = algorithm::to_octets(signing.algorithm, value)
        .ok_or_else(|| request::refused("The signature value is not one of the curve."))?;

    let signature = jws::signature_text(&octets);
    let mut unsigned = UnsignedHeader::default();
    if signing.target_level == TargetLevel::BT {
        let Some(token) = Answer::find(answers, TIMESTAMP)? else {
            let stamped = signature.into_bytes();
            return Ok(Need::new(NeedKind::Timestamp, TIMESTAMP, stamped, hash).into());
        };
        require_timestamp(token, signature.as_bytes())?;
        unsigned = unsigned.with_signature_timestamp(token);
    }
    let level = match signing.target_level {
        TargetLevel::BT => levels::JADES_B_T,
        _ => levels::JADES_B_B,
    };
    out.write(&jws::write(&payload, &protected, &unsigned, &signature));
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: level.to_owned(),
        signature_id: SIGNATURE_ID.to_owned(),
    }))
}

/// Returns the reported form of a signing input: its bytes, or the digest of a
/// long one.
pub(crate) fn told<E: Environment>(
    environment: &E,
    input: &str,
    algorithm: Option<SignatureAlgorithm>,
) -> Payload {
    if input.len() <= SIGNING_INPUT_BYTES {
        return input.as_bytes().to_vec().into();
    }
    let algorithm = algorithm.map_or(DigestAlgorithm::Sha256, SignatureAlgorithm::digest);
    Payload::Digest(Digest {
        algorithm,
        value: environment.digest(algorithm, &[Part::Bytes(input.as_bytes())]),
    })
}

/// Returns the refusal of a signed document: the flattened serialization has
/// room for one signature.
pub(crate) fn already_signed() -> Refusal {
    Refusal::new(
        "already-signed",
        "The document is a JWS already; a signature beside its own has no room in the flattened \
         serialization. Take the payload out of it and sign that.",
    )
}

/// Returns the JWS Protected Header (TS 119 182-1, 5.1 and 5.2).
fn protected_header(signing: &Signing<'_>) -> Vec<u8> {
    #[derive(Serialize)]
    struct ProtectedHeader<'a> {
        alg: &'a str,
        cty: &'a str,
        #[serde(rename = "x5t#S256")]
        certificate_digest: String,
        x5c: Vec<String>,
        typ: &'a str,
        iat: i64,
    }

    let header = ProtectedHeader {
        alg: signing.algorithm_name,
        cty: "json",
        certificate_digest: to_base64url(digest(DigestAlgorithm::Sha256, signing.signer)),
        x5c: signing.certificates.iter().map(to_base64).collect(),
        typ: "jose+json",
        iat: signing.time,
    };
    serde_json::to_vec(&header).expect("texts and numbers are JSON")
}
