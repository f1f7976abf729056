//! Evidence about the signature. The host decides on trust.

use parafa_plugin_sdk::cms::{Certificate, SignedData, SigningCertificate};
use parafa_plugin_sdk::core::{
    ChangeKind, Companion, Coverage, CoverageKind, Environment, Evidence, EvidencePool, Integrity,
    LaterChanges, MemberCheck, Refusal, SignatureAlgorithm, SignatureEvidence, SignatureKind,
    TimestampEvidence, TimestampStatus, levels,
};

use crate::content::{content, digest};
use crate::{LEVEL_B, LEVEL_T, signature, timestamps};

/// Content type of a file: `id-data` (RFC 5652, 4).
const ID_DATA: &str = "1.2.840.113549.1.7.1";

/// Returns evidence about the signature, if there is one.
pub(crate) fn verify<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Evidence, Refusal> {
    let file = content(environment)?;
    let Some(cms) = signature::read(document)? else {
        return Ok(Evidence::default());
    };
    let of_file = file
        .as_ref()
        .map(|file| integrity_of_file(environment, &cms, file));
    // Without the file nobody can tell if it is the signed one.
    let integrity = match integrity_of_signature(environment, &cms) {
        Integrity::Intact => of_file.unwrap_or(Integrity::Unsupported),
        other => other,
    };
    let coverage = match &file {
        Some(file) => Coverage {
            kind: CoverageKind::Members,
            members: vec![file.name.clone()],
        },
        None => CoverageKind::Partial.into(),
    };
    let digests = file.zip(of_file).map(|(file, integrity)| MemberCheck {
        id: file.name,
        digest: integrity.into(),
    });
    let timestamps = timestamps::evidence(environment, &cms);
    let mut pool = EvidencePool::default();
    let evidence = SignatureEvidence {
        id: signature::ID.to_owned(),
        kind: SignatureKind::Signature,
        claimed_time: cms.signing_time(),
        signed: cms.signed_attributes().unwrap_or_default().to_vec().into(),
        value: cms.value().to_vec(),
        algorithm: cms.signature_algorithm(),
        signer_certificate: cms.signer_certificate().map(|der| pool.certificate(der)),
        certificate: cms.check_certificate(),
        certificates: pool.certificates(cms.certificates()),
        revocation: Vec::new(),
        coverage,
        digests: digests.into_iter().collect(),
        integrity,
        later_changes: LaterChanges::permitted(ChangeKind::None),
        level: level(&cms, &timestamps).to_owned(),
        timestamps,
    };
    Ok(pool.into_evidence(vec![evidence]))
}

/// Checks that the signer signed the attributes (RFC 5652, 5.4 and 5.6).
fn integrity_of_signature<E: Environment>(environment: &E, cms: &SignedData) -> Integrity {
    let signer = cms.signer_certificate();
    let signer = signer.and_then(|der| Certificate::from_der(der).ok());
    let (Some(signer), Some(attributes)) = (signer, cms.signed_attributes()) else {
        return Integrity::Malformed;
    };
    let Some(algorithm) = cms.signature_algorithm() else {
        return Integrity::Unsupported;
    };
    let content_type = cms.content_type();
    let is_of_file = content_type.to_string() == ID_DATA;
    if !is_of_file || cms.signed_content_type() != Some(content_type) {
        return Integrity::Malformed;
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

/// Checks that the attributes have the digest of the file. Nobody signed the SignerInfo's digest
/// algorithm, so a weaker one than the signature's could have been put there.
fn integrity_of_file<E: Environment>(
    environment: &E,
    cms: &SignedData,
    file: &Companion<E::Blob>,
) -> Integrity {
    let signed = cms.signature_algorithm().map(SignatureAlgorithm::digest);
    let algorithm = match cms.digest_algorithm() {
        Some(algorithm) if signed == Some(algorithm) => algorithm,
        _ => return Integrity::Unsupported,
    };
    if cms.message_digest() == Some(&digest(environment, algorithm, file)[..]) {
        Integrity::Intact
    } else {
        Integrity::DigestMismatch
    }
}

/// Returns the level by the attributes (ETSI EN 319 122-1, 6.3). A time-stamp that is not intact
/// neither raises nor lowers it.
fn level(cms: &SignedData, timestamps: &[TimestampEvidence]) -> &'static str {
    let names_signer = cms.signing_certificate() == SigningCertificate::Matches;
    if !names_signer || cms.signing_time().is_none() {
        return levels::UNKNOWN;
    }
    let mut timestamps = timestamps.iter();
    match timestamps.any(|timestamp| timestamp.status == TimestampStatus::Intact) {
        true => LEVEL_T,
        false => LEVEL_B,
    }
}
