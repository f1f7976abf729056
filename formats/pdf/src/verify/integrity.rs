use parafa_format_core::{
    ChangeKind, CoverageKind, DigestAlgorithm, Environment, Integrity, LaterChanges, Part,
};
use parafa_pki::{Certificate, SignedData, SigningCertificate, TimestampToken};

use crate::signatures::{ByteRange, ChangeDetector, SignatureDictionary};

/// Content covered by a signature: a document without the value of `/Contents`.
pub(super) struct Covered<'a, B> {
    pub(super) document: &'a B,
    pub(super) detector: &'a ChangeDetector<'a, 'a>,
    pub(super) range: ByteRange,
}

/// Returns the covered parts of a document.
pub(super) fn covered_parts<'a, B>(document: &'a B, range: &ByteRange) -> [Part<'a, B>; 2] {
    let part = |start: usize, end: usize| Part::Range {
        source: document,
        offset: start as u64,
        len: end.saturating_sub(start) as u64,
    };
    [
        part(0, range.first_len),
        part(range.second_start, range.end),
    ]
}

impl<'a, B> Covered<'a, B> {
    fn parts(&self) -> [Part<'a, B>; 2] {
        covered_parts(self.document, &self.range)
    }
}

/// Returns the integrity of a signature, and the changes by later revisions
/// (ISO 32000-2, 12.8.2.2.2). Changes are evaluated only for intact signatures.
pub(super) fn integrity<E: Environment>(
    environment: &E,
    covered: &Covered<'_, E::Blob>,
    signature: &SignatureDictionary,
    cms: &SignedData,
) -> (Integrity, LaterChanges) {
    match own_integrity(environment, covered, signature, cms) {
        own @ (Integrity::Intact | Integrity::Unsupported) => {
            match later_changes(covered, signature) {
                (Integrity::Intact, changes) => (own, changes),
                changed => changed,
            }
        }
        broken => (broken, not_looked_at()),
    }
}

/// Returns the placeholder for changes after a signature that is not intact.
pub(super) fn not_looked_at() -> LaterChanges {
    LaterChanges::permitted(ChangeKind::Unknown)
}

/// Checks the digest of the covered bytes, and the value over the attributes
/// (RFC 5652, 5.4 and 5.6).
fn own_integrity<E: Environment>(
    environment: &E,
    covered: &Covered<'_, E::Blob>,
    signature: &SignatureDictionary,
    cms: &SignedData,
) -> Integrity {
    let signer = cms
        .signer_certificate()
        .and_then(|certificate| Certificate::from_der(certificate).ok());
    let Some(signer) = signer else {
        return Integrity::Malformed;
    };
    let covered_digest = |algorithm| environment.digest(algorithm, &covered.parts());
    let content_digest = |algorithm| match cms.content() {
        Some(content) => environment.digest(algorithm, &[Part::Bytes(content)]),
        None => covered_digest(algorithm),
    };
    // Everything comparable is compared, even if another algorithm is unknown.
    let mut is_known = true;
    match encapsulated_digest(signature, cms) {
        Ok(Some((Some(algorithm), digest))) if covered_digest(algorithm) != digest => {
            return Integrity::DigestMismatch;
        }
        Ok(bound) => is_known &= !matches!(bound, Some((None, _))),
        Err(NotBound) => return Integrity::Malformed,
    }
    let attributes = cms.signed_attributes();
    if attributes.is_some() {
        if cms.signed_content_type() != Some(cms.content_type()) {
            return Integrity::Malformed;
        }
        let digest = cms.digest_algorithm().map(content_digest);
        is_known &= digest.is_some();
        if digest.is_some_and(|digest| cms.message_digest() != Some(digest.as_slice())) {
            // The covered bytes match an encapsulated content other than the
            // signed one.
            return match cms.content() {
                Some(_) => Integrity::SignatureMismatch,
                None => Integrity::DigestMismatch,
            };
        }
    }
    if cms.signing_certificate() == SigningCertificate::Differs {
        return Integrity::SignatureMismatch;
    }
    let Some(algorithm) = cms.signature_algorithm() else {
        return Integrity::Unsupported;
    };
    let signed_digest = match attributes {
        Some(attributes) => environment.digest_to_verify(algorithm, attributes),
        // The content is too long to be verified without a digest.
        None if algorithm.signs_message() => return Integrity::Unsupported,
        None => content_digest(algorithm.digest()),
    };
    let key = signer.subject_public_key_info();
    let value = cms.catalogue_value();
    match environment.verify_by_others(key, algorithm, &signed_digest, value) {
        Ok(Some(_)) if is_known => Integrity::Intact,
        Ok(None) => Integrity::SignatureMismatch,
        Ok(Some(_)) | Err(_) => Integrity::Unsupported,
    }
}

fn later_changes<B>(
    covered: &Covered<'_, B>,
    signature: &SignatureDictionary,
) -> (Integrity, LaterChanges) {
    match signature.coverage {
        CoverageKind::EntireFile => {
            let nothing = LaterChanges::permitted(ChangeKind::None);
            (Integrity::Intact, nothing)
        }
        CoverageKind::EntireRevision => {
            let changes = covered
                .detector
                .changes_after(covered.range.end, &signature.permissions);
            // Changes that cannot be compared may be of any kind.
            let changes = changes.unwrap_or_else(|refusal| LaterChanges {
                kind: ChangeKind::Unknown,
                unpermitted: Some(refusal.detail),
            });
            let integrity = if changes.unpermitted.is_none() {
                Integrity::Intact
            } else {
                Integrity::Modified
            };
            (integrity, changes)
        }
        CoverageKind::Members | CoverageKind::Partial => (Integrity::ByteRange, not_looked_at()),
    }
}

/// A signature whose own content is not bound to the document.
struct NotBound;

/// A digest, and its algorithm if known.
type EncapsulatedDigest = (Option<DigestAlgorithm>, Vec<u8>);

/// Returns the digest of the covered bytes in an encapsulated content: a
/// time-stamp's message imprint, or the SHA-1 of `adbe.pkcs7.sha1` (ISO
/// 32000-2, 12.8.3.3). `None` for a detached signature.
fn encapsulated_digest(
    signature: &SignatureDictionary,
    cms: &SignedData,
) -> Result<Option<EncapsulatedDigest>, NotBound> {
    if signature.is_document_timestamp {
        let token = TimestampToken::parse(&signature.contents).map_err(|_| NotBound)?;
        return Ok(Some((token.imprint_algorithm(), token.imprint().to_vec())));
    }
    match cms.content() {
        None => Ok(None),
        Some(digest) if signature.sub_filter.as_deref() == Some(b"adbe.pkcs7.sha1") => {
            Ok(Some((Some(DigestAlgorithm::Sha1), digest.to_vec())))
        }
        Some(_) => Err(NotBound),
    }
}
