use parafa_format_core::{
    Environment, Note, Obstacle, Operation, Refusal, Report, SignatureSummary,
};
use parafa_pki::Certificate;

use crate::checked_signature::CheckedSignature;
use crate::document::Document;
use crate::jws::Jws;
use crate::{MEDIA_TYPE, SIGNATURE_ID, sign};

/// Specifications of the two kinds of documents.
const JSON: &str = "RFC 8259";
const JWS: &str = "RFC 7515";

/// Reports the kind of a document: a payload, which may be signed, or a signed
/// JWS. A JWS takes no further signature: the flattened serialization has room
/// for one.
///
/// # Errors
/// `not-json`, `repeated-member`, `not-flattened`, `detached-payload`,
/// `base64url-invalid`, `header-invalid` or `document-too-long`.
pub fn inspect<E: Environment>(_: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let jws = match Document::read(document)? {
        Document::Payload(_) => {
            let note = Note::new("unsigned", "The document is JSON that nobody has signed.");
            return Ok(Report {
                notes: vec![note],
                ..Report::new(MEDIA_TYPE, JSON)
            });
        }
        Document::Signed(jws) => jws,
    };
    let obstacle = Obstacle {
        operation: Operation::Sign,
        refusal: sign::already_signed(),
    };
    let mut notes = vec![Note::new("signed", "The document is a JWS.")];
    let counter_signatures = jws.unsigned.counter_signatures();
    if counter_signatures > 0 {
        let detail = format!(
            "Counter-signatures stand beside the signature: {counter_signatures}. They are not verified."
        );
        notes.push(Note::new("counter-signatures", detail));
    }
    Ok(Report {
        signatures: vec![summary(&jws)],
        notes,
        obstacles: vec![obstacle],
        ..Report::new(MEDIA_TYPE, JWS)
    })
}

fn summary(jws: &Jws) -> SignatureSummary {
    let signer = CheckedSignature::signer_of(jws);
    let signer = signer.and_then(|der| Certificate::from_der(&der).ok()?.common_name());
    SignatureSummary {
        id: SIGNATURE_ID.to_owned(),
        signer,
        claimed_time: jws.header.claimed_time(),
    }
}
