//! Evidence about the signatures of a document. The host decides on trust.

use parafa_plugin_sdk::cms::{Certificate, SignedData, SigningCertificate, TimestampToken};
use parafa_plugin_sdk::core::{
    ChangeKind, CoverageKind, Environment, Evidence, EvidencePool, Integrity, LaterChanges, Part,
    Refusal, SignatureEvidence, SignatureKind, TimestampEvidence, TimestampKind, TimestampStatus,
    Verdict, check, levels,
};

use crate::document::{Document, Signature};
use crate::{LEVEL_B, LEVEL_T};

/// Returns evidence about every signature, in the order in which they were made.
pub(crate) fn verify<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Evidence, Refusal> {
    let read = Document::read(document)?;
    let mut pool = EvidencePool::default();
    let mut signatures = Vec::new();
    for (index, signature) in read.signatures.iter().enumerate() {
        let is_last = index + 1 == read.signatures.len();
        let (coverage, changes) = if is_last {
            (CoverageKind::EntireFile, ChangeKind::None)
        } else {
            (CoverageKind::EntireRevision, ChangeKind::Signing)
        };
        let mut evidence = SignatureEvidence {
            id: signature.id.clone(),
            kind: SignatureKind::Signature,
            claimed_time: Some(signature.claimed_time),
            signed: Vec::new().into(),
            value: Vec::new(),
            algorithm: None,
            signer_certificate: None,
            certificate: Verdict::unknown(check::MISSING),
            certificates: Vec::new(),
            revocation: Vec::new(),
            timestamps: Vec::new(),
            coverage: coverage.into(),
            digests: Vec::new(),
            integrity: Integrity::Malformed,
            later_changes: LaterChanges::permitted(changes),
            level: levels::UNKNOWN.to_owned(),
        };
        if let Some(cms) = &signature.cms {
            evidence.signed = cms.signed_attributes().unwrap_or_default().to_vec().into();
            evidence.value = cms.value().to_vec();
            evidence.algorithm = cms.signature_algorithm();
            evidence.signer_certificate = cms.signer_certificate().map(|der| pool.certificate(der));
            evidence.certificate = cms.check_certificate();
            evidence.certificates = pool.certificates(cms.certificates());
            evidence.timestamps = timestamps(environment, cms);
            evidence.integrity = integrity(environment, document, signature, cms);
            evidence.level = level(&evidence.timestamps).to_owned();
        }
        signatures.push(evidence);
    }
    Ok(pool.into_evidence(signatures))
}

/// Returns the level. A time-stamp that is not intact neither raises nor lowers it.
fn level(timestamps: &[TimestampEvidence]) -> &'static str {
    let mut timestamps = timestamps.iter();
    match timestamps.any(|timestamp| timestamp.status == TimestampStatus::Intact) {
        true => LEVEL_T,
        false => LEVEL_B,
    }
}

/// Checks the signature's integrity (RFC 5652, 5.4 and 5.6).
fn integrity<E: Environment>(
    environment: &E,
    document: &E::Blob,
    signature: &Signature,
    cms: &SignedData,
) -> Integrity {
    let signer = cms.signer_certificate();
    let signer = signer.and_then(|der| Certificate::from_der(der).ok());
    let (Some(signer), Some(attributes), None) = (signer, cms.signed_attributes(), cms.content())
    else {
        return Integrity::Malformed;
    };
    let (Some(digest_algorithm), Some(algorithm)) =
        (cms.digest_algorithm(), cms.signature_algorithm())
    else {
        return Integrity::Unsupported;
    };
    if cms.signed_content_type() != Some(cms.content_type()) {
        return Integrity::Malformed;
    }
    let covered = Part::Range {
        source: document,
        offset: 0,
        len: signature.covered,
    };
    let digest = environment.digest(digest_algorithm, &[covered]);
    if cms.message_digest() != Some(&digest[..]) {
        return Integrity::DigestMismatch;
    }
    if cms.signing_certificate() == SigningCertificate::Differs {
        return Integrity::SignatureMismatch;
    }
    let digest = environment.digest_to_verify(algorithm, attributes);
    let key = signer.subject_public_key_info();
    match environment.verify(key, algorithm, &digest, cms.catalogue_value()) {
        Ok(true) => Integrity::Intact,
        Ok(false) => Integrity::SignatureMismatch,
        Err(_) => Integrity::Unsupported,
    }
}

fn timestamps<E: Environment>(environment: &E, cms: &SignedData) -> Vec<TimestampEvidence> {
    let evidence = |der: &Vec<u8>| {
        let token = TimestampToken::parse(der).ok();
        TimestampEvidence {
            kind: TimestampKind::Signature,
            token: der.clone(),
            time: token.as_ref().map(TimestampToken::time),
            status: token.map_or(TimestampStatus::Malformed, |token| {
                status(environment, cms, &token)
            }),
        }
    };
    cms.timestamps().iter().map(evidence).collect()
}

/// Checks that a token stamps the signature value, and that its signer signed it.
fn status<E: Environment>(
    environment: &E,
    cms: &SignedData,
    token: &TimestampToken,
) -> TimestampStatus {
    let maker = token.signed_data().signer_certificate();
    let maker = maker.and_then(|der| Certificate::from_der(der).ok());
    match maker {
        _ if token.imprint_algorithm().is_none() => TimestampStatus::Unverifiable,
        _ if !token.stamps(cms.value()) => TimestampStatus::ImprintMismatch,
        None => TimestampStatus::Unverifiable,
        Some(maker) => match token.signed_data().holds(environment, &maker) {
            Some(true) => TimestampStatus::Intact,
            Some(false) => TimestampStatus::SignatureMismatch,
            None => TimestampStatus::Unverifiable,
        },
    }
}
