use parafa_ades::{ValidationMaterial, maker_status};
use parafa_format_core::{
    Environment, Integrity, TimestampEvidence, TimestampKind, TimestampStatus,
};
use parafa_pki::{SignedData, TimestampToken};

use super::checked::CheckedSignature;

/// Returns evidence about the time-stamps over a signature's value (RFC 3161),
/// valid or not. Anyone can add a time-stamp, so a defective one does not
/// affect the signature, but it must not pass for a valid one.
pub(super) fn timestamps<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signature: &CheckedSignature<'_>,
) -> Vec<TimestampEvidence> {
    let Some(cms) = &signature.cms else {
        return Vec::new();
    };
    if signature.dictionary.is_document_timestamp {
        return vec![over_document(signature)];
    }
    let tokens = cms.timestamps().iter();
    tokens
        .map(|token| over_value(material, cms, token))
        .collect()
}

fn over_value<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    cms: &SignedData,
    der: &[u8],
) -> TimestampEvidence {
    evidence(TimestampKind::Signature, der, |token| {
        if token.imprint_algorithm().is_none() {
            TimestampStatus::Unverifiable
        } else if token.stamps(cms.value()) {
            maker_status(material, token)
        } else {
            TimestampStatus::ImprintMismatch
        }
    })
}

/// A document time-stamp is a token itself, checked as a signature.
fn over_document(signature: &CheckedSignature<'_>) -> TimestampEvidence {
    let contents = &signature.dictionary.contents;
    evidence(TimestampKind::Document, contents, |_| {
        match signature.integrity {
            Integrity::Intact | Integrity::Modified => TimestampStatus::Intact,
            Integrity::DigestMismatch | Integrity::ByteRange => TimestampStatus::ImprintMismatch,
            Integrity::SignatureMismatch => TimestampStatus::SignatureMismatch,
            Integrity::Malformed | Integrity::Unsupported => TimestampStatus::Unverifiable,
        }
    })
}

fn evidence(
    kind: TimestampKind,
    der: &[u8],
    status: impl FnOnce(&TimestampToken) -> TimestampStatus,
) -> TimestampEvidence {
    let token = TimestampToken::parse(der).ok();
    TimestampEvidence {
        kind,
        token: der.to_vec(),
        time: token.as_ref().map(TimestampToken::time),
        status: token.map_or(TimestampStatus::Malformed, |token| status(&token)),
    }
}
