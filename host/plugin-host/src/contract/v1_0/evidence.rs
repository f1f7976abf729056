//! Reads evidence about signatures, as `verify` of 1.0 gives it.

use parafa_catalogue::{
    ChangeKind, Coverage, CoverageKind, Integrity, LaterChanges, MemberCheck, SignatureKind,
    TimestampEvidence, TimestampStatus, levels,
};

use super::bindings::verify as verification;
use super::convert::{level, payload, timestamp_kind, verdict};
use crate::contract::convert::sentence;
use crate::contract::evidence_pool::{self, Placed};
use crate::{ContractBreach, Evidence};

pub(super) fn read(evidence: verification::Evidence) -> Result<Evidence, ContractBreach> {
    let signatures = evidence.signatures.into_iter().map(signature);
    evidence_pool::resolve(
        evidence.certificates,
        evidence.revocation,
        signatures.collect::<Result<_, _>>()?,
    )
}

fn signature(evidence: verification::SignatureEvidence) -> Result<Placed, ContractBreach> {
    let timestamps = evidence.timestamps.into_iter();
    let digests = evidence.digests.into_iter();
    Ok(Placed {
        id: evidence.id,
        kind: match evidence.kind {
            verification::SignatureKind::Signature => SignatureKind::Signature,
            verification::SignatureKind::DocumentTimestamp => SignatureKind::DocumentTimestamp,
        },
        claimed_time: evidence.claimed_time,
        signed: payload(evidence.signed)?,
        value: evidence.value,
        algorithm: evidence.algorithm.and_then(|name| name.parse().ok()),
        signer_certificate: evidence.signer_certificate,
        certificate: verdict(evidence.certificate),
        certificates: evidence.certificates,
        revocation: evidence.revocation,
        timestamps: timestamps.map(timestamp).collect(),
        coverage: coverage(evidence.coverage),
        digests: digests.map(digest).collect(),
        integrity: Integrity::from(&verdict(evidence.integrity)),
        later_changes: later_changes(&evidence.later_changes),
        level: evidence
            .level
            .as_ref()
            .map_or_else(|| levels::UNKNOWN.to_owned(), level),
    })
}

fn timestamp(evidence: verification::TimestampEvidence) -> TimestampEvidence {
    TimestampEvidence {
        kind: timestamp_kind(evidence.kind),
        token: evidence.token,
        time: evidence.time,
        status: TimestampStatus::from(&verdict(evidence.integrity)),
    }
}

fn coverage(coverage: verification::Coverage) -> Coverage {
    let (kind, members) = match coverage {
        verification::Coverage::EntireFile => (CoverageKind::EntireFile, Vec::new()),
        verification::Coverage::EntireRevision => (CoverageKind::EntireRevision, Vec::new()),
        verification::Coverage::Members(members) => (CoverageKind::Members, members),
        verification::Coverage::Partial(members) => (CoverageKind::Partial, members),
    };
    Coverage { kind, members }
}

fn digest(checked: verification::MemberCheck) -> MemberCheck {
    MemberCheck {
        id: checked.id,
        digest: verdict(checked.digest),
    }
}

fn later_changes(changes: &verification::LaterChanges) -> LaterChanges {
    LaterChanges {
        kind: match changes.kind {
            verification::ChangeKind::None => ChangeKind::None,
            verification::ChangeKind::ValidationData => ChangeKind::ValidationData,
            verification::ChangeKind::Signing => ChangeKind::Signing,
            verification::ChangeKind::FormFilling => ChangeKind::FormFilling,
            verification::ChangeKind::Annotations => ChangeKind::Annotations,
            verification::ChangeKind::Other => ChangeKind::Other,
            verification::ChangeKind::Unknown => ChangeKind::Unknown,
        },
        unpermitted: changes.unpermitted.as_deref().map(sentence),
    }
}
