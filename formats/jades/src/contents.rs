//! The payload as the only member of a document. It lets the host see that the
//! signed content is the posted one, although signing changes its form.

use parafa_format_core::{
    Blob, Digest, DigestAlgorithm, Environment, Member, MemberRole, Part, Refusal, Sink, refusal,
};

use crate::document::Document;

/// Id of the payload.
pub(crate) const PAYLOAD: &str = "payload";

const JSON: &str = "application/json";
const ANYTHING: &str = "application/octet-stream";
/// Maximum length of a media type that is reported, in bytes.
const MEDIA_TYPE_BYTES: usize = 128;

/// Returns the payload as a member.
///
/// # Errors
/// The codes of `inspect`.
pub fn members<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<Member>, Refusal> {
    let digest = |part| Digest {
        algorithm: DigestAlgorithm::Sha256,
        value: environment.digest(DigestAlgorithm::Sha256, &[part]),
    };
    let (media_type, size, digest) = match Document::read(document)? {
        Document::Payload(payload) => {
            let size = payload.len();
            (JSON.to_owned(), size, digest(Part::Bytes(&payload)))
        }
        Document::Signed(jws) => {
            let payload = &jws.payload;
            let media_type = media_type(jws.header.content_type());
            (media_type, payload.len(), digest(Part::Bytes(payload)))
        }
    };
    let name = if media_type == JSON {
        "payload.json"
    } else {
        "payload"
    };
    Ok(vec![Member {
        id: PAYLOAD.to_owned(),
        name: name.to_owned(),
        media_type,
        size: size as u64,
        digest,
        role: MemberRole::Main,
    }])
}

/// Writes the payload.
///
/// # Errors
/// The codes of `inspect`, or `no-such-member`.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    document: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let read = Document::read(document)?;
    if id != PAYLOAD {
        return Err(Refusal {
            subjects: vec![id.to_owned()],
            ..Refusal::new(
                refusal::NO_SUCH_MEMBER,
                format!("The document has one member, {PAYLOAD:?}."),
            )
        });
    }
    match read {
        Document::Payload(_) => out.copy(document, 0, document.len()),
        Document::Signed(jws) => out.write(&jws.payload),
    }
    Ok(())
}

/// Returns the signer's content type, if it looks like a media type.
fn media_type(content_type: Option<String>) -> String {
    let looks_like_one = |told: &String| {
        told.len() <= MEDIA_TYPE_BYTES && told.bytes().all(|byte| byte.is_ascii_graphic())
    };
    content_type
        .filter(looks_like_one)
        .unwrap_or_else(|| ANYTHING.to_owned())
}
