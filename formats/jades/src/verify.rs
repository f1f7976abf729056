use std::collections::BTreeSet;

use parafa_ades::{Budget, ChainLimits, Rules};
use parafa_format_core::{
    ChangeKind, Coverage, CoverageKind, Environment, Evidence, EvidencePool, LaterChanges, Refusal,
    SignatureEvidence, SignatureKind,
};

use crate::SIGNATURE_ID;
use crate::checked_signature::{CheckedSignature, level_name};
use crate::contents::PAYLOAD;
use crate::document::Document;
use crate::jws::Jws;
use crate::sign::told;

/// Returns evidence about the signature of a document; an unsigned payload has
/// none.
///
/// # Errors
/// The codes of `inspect`, or `too-much-to-verify` when there are too many
/// time-stamps. Levels beyond T are not determined if their chains exceed the
/// work limits.
pub fn verify<E: Environment>(environment: &E, document: &E::Blob) -> Result<Evidence, Refusal> {
    let Document::Signed(jws) = Document::read(document)? else {
        return Ok(Evidence::default());
    };
    let checked = CheckedSignature::check(environment, &jws)?;
    let budget = Budget::new(environment, &ChainLimits::default());
    let material = checked.material(&budget);
    let position = checked.position(&material, Rules::Held);
    let mut pool = EvidencePool::default();
    let signature = SignatureEvidence {
        id: SIGNATURE_ID.to_owned(),
        kind: SignatureKind::Signature,
        claimed_time: jws.header.claimed_time(),
        signed: told(environment, &jws.signing_input(), checked.algorithm),
        signer_certificate: checked.signer.as_ref().map(|der| pool.certificate(der)),
        certificate: checked.certificate.clone(),
        certificates: places(
            pool.certificates(
                checked
                    .certificates
                    .iter()
                    .chain(&checked.values.certificates),
            ),
        ),
        revocation: places(pool.revocation(&checked.values.revocation)),
        timestamps: checked.timestamps_evidence(&material),
        coverage: coverage(&jws),
        digests: Vec::new(),
        integrity: checked.integrity,
        later_changes: LaterChanges::permitted(ChangeKind::None),
        level: level_name(position.level).to_owned(),
        algorithm: checked.algorithm,
        value: checked.value.clone(),
    };
    Ok(pool.into_evidence(vec![signature]))
}

/// Returns the payload as coverage, unless it is detached.
fn coverage(jws: &Jws) -> Coverage {
    let (kind, members) = if jws.header.signs_detached() {
        (CoverageKind::Partial, Vec::new())
    } else {
        (CoverageKind::Members, vec![PAYLOAD.to_owned()])
    };
    Coverage { kind, members }
}

/// Returns each place once: several lists may contain the same certificate.
fn places(places: Vec<u32>) -> Vec<u32> {
    Vec::from_iter(BTreeSet::from_iter(places))
}
