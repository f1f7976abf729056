//! Converts evidence about signatures by `verify` of 1.0.

use parafa_catalogue::{
    ChangeKind, Coverage, CoverageKind, Integrity, LaterChanges, MemberCheck, SignatureKind,
    TimestampEvidence, TimestampStatus, Verdict, levels,
};

use super::bindings::verify as verification;
use super::convert::{level, payload, timestamp_kind, verdict};
use crate::ContractBreach;
use crate::contract::convert::sentence;
use crate::contract::evidence_pool::Placed;

pub(super) fn signature(
    evidence: verification::SignatureEvidence,
) -> Result<Placed, ContractBreach> {
    let timestamps = evidence.timestamps.into_iter();
    let digests: Vec<_> = evidence.digests.into_iter().map(digest).collect();
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
        integrity: integrity(&verdict(evidence.integrity), &digests),
        digests,
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

/// Returns the signature's verdict, or the worst one of its digests if that is worse.
fn integrity(told: &Verdict, digests: &[MemberCheck]) -> Integrity {
    let badness = |verdict: &Verdict| match verdict {
        Verdict::Holds => 0,
        Verdict::Unknown(_) => 1,
        Verdict::Broken(_) => 2,
    };
    let digests = digests.iter().map(|member| &member.digest);
    let worst = digests.max_by_key(|digest| badness(digest));
    let worst = worst.filter(|worst| badness(worst) > badness(told));
    Integrity::from(worst.unwrap_or(told))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_no_better_than_the_worst_of_its_digests() {
        let digests = |digests: &[Verdict]| -> Vec<MemberCheck> {
            let digests = digests.iter().map(|digest| MemberCheck {
                id: "a".to_owned(),
                digest: digest.clone(),
            });
            digests.collect()
        };
        let unknown = Verdict::unknown("unsupported");
        let broken = Verdict::broken("digest-mismatch");
        let value = Verdict::broken("signature-mismatch");
        let is = |told: &Verdict, checked: &[Verdict]| integrity(told, &digests(checked));

        assert_eq!(is(&Verdict::Holds, &[]), Integrity::Intact);
        assert_eq!(is(&Verdict::Holds, &[Verdict::Holds]), Integrity::Intact);
        let checked = [unknown.clone(), broken, Verdict::Holds];
        assert_eq!(is(&Verdict::Holds, &checked), Integrity::DigestMismatch);
        assert_eq!(is(&unknown, &checked), Integrity::DigestMismatch);
        assert_eq!(is(&value, &checked), Integrity::SignatureMismatch);
        assert_eq!(is(&Verdict::Holds, &checked[..1]), Integrity::Unsupported);
    }
}
