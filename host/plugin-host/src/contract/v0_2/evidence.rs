//! Converts evidence about signatures by `verify` of 0.2.

use parafa_catalogue::{Coverage, LaterChanges, TimestampEvidence, Verdict, check};

use super::bindings::verify as verification;
use super::convert::payload;
use crate::ContractBreach;
use crate::contract::convert::{known, sentence};
use crate::contract::evidence_pool::Placed;

pub(super) fn signature(
    evidence: verification::SignatureEvidence,
) -> Result<Placed, ContractBreach> {
    let timestamps = evidence.timestamps.into_iter();
    Ok(Placed {
        id: evidence.id,
        kind: known(&evidence.kind)?,
        claimed_time: evidence.claimed_time,
        signed: payload(evidence.signed)?,
        value: evidence.value,
        algorithm: evidence.algorithm.parse().ok(),
        signer_certificate: evidence.signer_certificate,
        // 0.2 does not report which certificate a signature names.
        certificate: Verdict::unknown(match evidence.signer_certificate {
            Some(_) => check::UNNAMED,
            None => check::MISSING,
        }),
        certificates: evidence.certificates,
        revocation: evidence.revocation,
        timestamps: timestamps.map(timestamp).collect::<Result<_, _>>()?,
        coverage: Coverage {
            kind: known(&evidence.coverage.kind)?,
            members: evidence.coverage.members,
        },
        digests: Vec::new(),
        integrity: known(&evidence.integrity)?,
        later_changes: later_changes(&evidence.later_changes)?,
        level: evidence.level,
    })
}

fn timestamp(
    evidence: verification::TimestampEvidence,
) -> Result<TimestampEvidence, ContractBreach> {
    Ok(TimestampEvidence {
        kind: known(&evidence.kind)?,
        token: evidence.token,
        time: evidence.time,
        status: known(&evidence.status)?,
    })
}

fn later_changes(changes: &verification::LaterChanges) -> Result<LaterChanges, ContractBreach> {
    Ok(LaterChanges {
        kind: known(&changes.kind)?,
        unpermitted: changes.unpermitted.as_deref().map(sentence),
    })
}
