//! Conversions of evidence about signatures to the contract's records.

use parafa_format_core as core;

use crate::bindings::types::Check;
use crate::bindings::verify::{
    ChangeKind, Coverage, Evidence, LaterChanges, MemberCheck, SignatureEvidence, SignatureKind,
    TimestampEvidence,
};
use crate::convert::level_of;

impl From<core::Evidence> for Evidence {
    fn from(evidence: core::Evidence) -> Self {
        Self {
            certificates: evidence.certificates,
            revocation: evidence.revocation,
            signatures: evidence.signatures.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<core::SignatureEvidence> for SignatureEvidence {
    fn from(evidence: core::SignatureEvidence) -> Self {
        Self {
            id: evidence.id,
            kind: match evidence.kind {
                core::SignatureKind::Signature => SignatureKind::Signature,
                core::SignatureKind::DocumentTimestamp => SignatureKind::DocumentTimestamp,
            },
            claimed_time: evidence.claimed_time,
            signed: evidence.signed.into(),
            value: evidence.value,
            algorithm: evidence
                .algorithm
                .map(|algorithm| algorithm.name().to_owned()),
            signer_certificate: evidence.signer_certificate,
            certificate: evidence.certificate.into(),
            certificates: evidence.certificates,
            revocation: evidence.revocation,
            timestamps: evidence.timestamps.into_iter().map(Into::into).collect(),
            coverage: evidence.coverage.into(),
            digests: evidence.digests.into_iter().map(Into::into).collect(),
            integrity: check(evidence.integrity),
            later_changes: evidence.later_changes.into(),
            level: level_of(&evidence.level),
            properties: Vec::new(),
        }
    }
}

impl From<core::TimestampEvidence> for TimestampEvidence {
    fn from(evidence: core::TimestampEvidence) -> Self {
        Self {
            kind: evidence.kind.into(),
            token: evidence.token,
            time: evidence.time,
            integrity: check(evidence.status),
        }
    }
}

fn check(verdict: impl Into<core::Verdict>) -> Check {
    let verdict: core::Verdict = verdict.into();
    verdict.into()
}

impl From<core::Coverage> for Coverage {
    fn from(coverage: core::Coverage) -> Self {
        match coverage.kind {
            core::CoverageKind::EntireFile => Self::EntireFile,
            core::CoverageKind::EntireRevision => Self::EntireRevision,
            core::CoverageKind::Members => Self::Members(coverage.members),
            core::CoverageKind::Partial => Self::Partial(coverage.members),
        }
    }
}

impl From<core::MemberCheck> for MemberCheck {
    fn from(checked: core::MemberCheck) -> Self {
        Self {
            id: checked.id,
            digest: checked.digest.into(),
        }
    }
}

impl From<core::LaterChanges> for LaterChanges {
    fn from(changes: core::LaterChanges) -> Self {
        Self {
            kind: match changes.kind {
                core::ChangeKind::None => ChangeKind::None,
                core::ChangeKind::ValidationData => ChangeKind::ValidationData,
                core::ChangeKind::Signing => ChangeKind::Signing,
                core::ChangeKind::FormFilling => ChangeKind::FormFilling,
                core::ChangeKind::Annotations => ChangeKind::Annotations,
                core::ChangeKind::Other => ChangeKind::Other,
                core::ChangeKind::Unknown => ChangeKind::Unknown,
            },
            unpermitted: changes.unpermitted,
        }
    }
}
