use parafa_format_core::{
    ChangeKind, Coverage, CoverageKind, Digest, DigestAlgorithm, Environment, Evidence,
    EvidencePool, Integrity, LaterChanges, Part, Payload, SignatureAlgorithm, SignatureEvidence,
    SignatureKind,
};

use crate::container::Container;
use crate::signatures::Signature;

/// Maximum length of signed bytes in evidence; longer ones are replaced by
/// their digest.
const SIGNED_BYTES: usize = 64 * 1024;

/// Returns evidence about every signature, in the order of the files; copies of
/// a signature are reported individually.
#[must_use]
pub fn evidence<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Evidence {
    let last = signatures.len().saturating_sub(1);
    let mut pool = EvidencePool::default();
    let evidence = signatures
        .iter()
        .enumerate()
        .map(|(place, signature)| about(container, signature, place == last, &mut pool));
    let evidence = evidence.collect();
    pool.into_evidence(evidence)
}

fn about<E: Environment>(
    container: &Container<'_, E>,
    signature: &Signature,
    is_last: bool,
    pool: &mut EvidencePool,
) -> SignatureEvidence {
    let verified = &signature.verified;
    let signer = verified.signer_certificate.as_deref();
    SignatureEvidence {
        id: signature.id.clone(),
        kind: SignatureKind::Signature,
        claimed_time: verified.claimed_time,
        signed: signed(container.environment, signature),
        value: verified.value.clone(),
        algorithm: verified.algorithm,
        signer_certificate: signer.map(|der| pool.certificate(der)),
        certificate: verified.certificate.clone(),
        certificates: pool.certificates(&verified.certificates),
        revocation: pool.revocation(&verified.revocation),
        timestamps: verified.timestamps.clone(),
        coverage: coverage(container, signature),
        digests: signature.digests(container),
        integrity: signature.integrity(),
        later_changes: later_changes(signature, is_last),
        level: signature.level().to_owned(),
    }
}

fn signed<E: Environment>(environment: &E, signature: &Signature) -> Payload {
    let verified = &signature.verified;
    if verified.signed_info.len() <= SIGNED_BYTES {
        return verified.signed_info.clone().into();
    }
    let algorithm = verified
        .algorithm
        .map_or(DigestAlgorithm::Sha256, SignatureAlgorithm::digest);
    Payload::Digest(Digest {
        algorithm,
        value: environment.digest(algorithm, &[Part::Bytes(&verified.signed_info)]),
    })
}

fn coverage<E: Environment>(container: &Container<'_, E>, signature: &Signature) -> Coverage {
    let members = signature.covered(container);
    let kind = if members.is_empty() {
        CoverageKind::Partial
    } else {
        CoverageKind::Members
    };
    Coverage { kind, members }
}

/// Signatures are independent: a later one does not change an earlier one.
fn later_changes(signature: &Signature, is_last: bool) -> LaterChanges {
    match signature.integrity() {
        Integrity::Modified => LaterChanges {
            kind: ChangeKind::Other,
            unpermitted: signature.change.clone(),
        },
        Integrity::Intact if is_last => LaterChanges::permitted(ChangeKind::None),
        Integrity::Intact => LaterChanges::permitted(ChangeKind::Signing),
        _ => LaterChanges::permitted(ChangeKind::Unknown),
    }
}
