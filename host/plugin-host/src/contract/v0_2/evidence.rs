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

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use bytes::Bytes;
    use parafa_catalogue::{
        ChangeKind, CoverageKind, Digest, DigestAlgorithm, Integrity, SignatureAlgorithm,
        SignatureKind, TimestampKind, TimestampStatus,
    };

    use super::verification::exports::parafa::format::verification::Coverage as Covered;
    use super::*;
    use crate::contract::v0_2::bindings::types;
    use crate::contract::v0_2::convert;
    use crate::{Evidence, Payload, SignatureEvidence};

    /// A name that 0.2 does not have.
    const OTHER: &str = "of-later";

    fn signed() -> verification::SignatureEvidence {
        verification::SignatureEvidence {
            id: "one".to_owned(),
            kind: "signature".to_owned(),
            claimed_time: Some(-1),
            signed: types::Payload::Bytes(vec![1]),
            value: vec![2],
            algorithm: "ECDSA-SHA256".to_owned(),
            signer_certificate: Some(1),
            certificates: vec![1, 0],
            revocation: vec![1],
            timestamps: Vec::new(),
            coverage: Covered {
                kind: "entire-file".to_owned(),
                members: Vec::new(),
            },
            integrity: "intact".to_owned(),
            later_changes: verification::LaterChanges {
                kind: "none".to_owned(),
                unpermitted: None,
            },
            level: "Toy-B-T".to_owned(),
        }
    }

    fn stamped(kind: &str, status: &str) -> verification::TimestampEvidence {
        verification::TimestampEvidence {
            kind: kind.to_owned(),
            token: vec![3],
            time: None,
            status: status.to_owned(),
        }
    }

    /// Reads the evidence after this change of its signature.
    fn read(
        change: impl FnOnce(&mut verification::SignatureEvidence),
    ) -> Result<Evidence, ContractBreach> {
        let mut signature = signed();
        change(&mut signature);
        convert::evidence(verification::Evidence {
            certificates: vec![vec![10], vec![11]],
            revocation: vec![vec![20], vec![21]],
            signatures: vec![signature],
        })
    }

    /// Returns the one signature after this change.
    fn signature_with(
        change: impl FnOnce(&mut verification::SignatureEvidence),
    ) -> SignatureEvidence {
        read(change).unwrap().signatures.remove(0)
    }

    /// Checks that every name is read as its value, and that another one breaks the contract.
    fn check_names<T: Debug + PartialEq>(
        what: &'static str,
        names: impl IntoIterator<Item = (&'static str, T)>,
        write: impl Fn(&mut verification::SignatureEvidence, String),
        value: impl Fn(SignatureEvidence) -> T,
    ) {
        for (name, expected) in names {
            let signature = signature_with(|signature| write(signature, name.to_owned()));
            assert_eq!(value(signature), expected, "{name}");
        }
        let other = read(|signature| write(signature, OTHER.to_owned()));
        assert_eq!(other, Err(ContractBreach::unknown(what, OTHER)));
    }

    #[test]
    fn a_signature_comes_with_its_objects() {
        let [issuer, signer, earlier, later] =
            [10_u8, 11, 20, 21].map(|object| Bytes::from(vec![object]));

        assert_eq!(
            read(|_| ()),
            Ok(Evidence {
                revocation: vec![earlier, later.clone()],
                signatures: vec![SignatureEvidence {
                    id: "one".to_owned(),
                    kind: SignatureKind::Signature,
                    claimed_time: Some(-1),
                    signed: Payload::Bytes(vec![1]),
                    value: vec![2],
                    algorithm: Some(SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256)),
                    signer_certificate: Some(signer.clone()),
                    certificate: Verdict::unknown("unnamed"),
                    certificates: vec![signer, issuer],
                    revocation: vec![later],
                    timestamps: Vec::new(),
                    coverage: CoverageKind::EntireFile.into(),
                    // 0.2 has no digests of members.
                    digests: Vec::new(),
                    integrity: Integrity::Intact,
                    later_changes: LaterChanges::permitted(ChangeKind::None),
                    level: "Toy-B-T".to_owned(),
                }],
            })
        );
    }

    #[test]
    fn a_signature_may_lack_its_certificate() {
        let signature = signature_with(|signature| signature.signer_certificate = None);

        assert_eq!(signature.signer_certificate, None);
        assert_eq!(signature.certificate, Verdict::unknown("missing"));
    }

    #[test]
    fn a_signature_may_have_another_algorithm_than_the_catalogue() {
        for name in [OTHER, ""] {
            let signature = signature_with(|signature| signature.algorithm = name.to_owned());
            assert_eq!(signature.algorithm, None);
        }
    }

    #[test]
    fn an_object_that_is_not_there_breaks_the_contract() {
        let missing = |what, place| {
            Err(ContractBreach::NoSuchPlace {
                what,
                place,
                entries: 2,
            })
        };

        for place in [2, u32::MAX] {
            assert_eq!(
                read(|signature| signature.signer_certificate = Some(place)),
                missing("certificate", place)
            );
            assert_eq!(
                read(|signature| signature.certificates.push(place)),
                missing("certificate", place)
            );
            assert_eq!(
                read(|signature| signature.revocation.push(place)),
                missing("revocation data", place)
            );
        }
    }

    #[test]
    fn what_is_signed_may_be_told_by_its_digest() {
        let signed = |bytes: usize| {
            read(|signature| {
                signature.signed = types::Payload::Digest(types::Digest {
                    algorithm: "SHA-256".to_owned(),
                    value: vec![7; bytes],
                });
            })
        };
        let algorithm = DigestAlgorithm::Sha256;

        assert_eq!(
            signed(32).unwrap().signatures[0].signed,
            Payload::Digest(Digest {
                algorithm,
                value: vec![7; 32],
            })
        );
        assert_eq!(
            signed(33),
            Err(ContractBreach::DigestLength {
                algorithm,
                bytes: 33,
            })
        );
    }

    #[test]
    fn a_signature_is_of_a_person_or_a_clock() {
        check_names(
            "kind of signature",
            [
                ("document-timestamp", SignatureKind::DocumentTimestamp),
                ("signature", SignatureKind::Signature),
            ],
            |signature, name| signature.kind = name,
            |signature| signature.kind,
        );
    }

    #[test]
    fn coverage_has_a_kind_and_any_members() {
        let members = || vec!["a".to_owned(), "b".to_owned()];
        let coverage = |kind| Coverage {
            kind,
            members: members(),
        };
        check_names(
            "coverage",
            [
                ("entire-file", coverage(CoverageKind::EntireFile)),
                ("entire-revision", coverage(CoverageKind::EntireRevision)),
                ("members", coverage(CoverageKind::Members)),
                ("partial", coverage(CoverageKind::Partial)),
            ],
            |signature, kind| {
                signature.coverage = Covered {
                    kind,
                    members: members(),
                };
            },
            |signature| signature.coverage,
        );
    }

    #[test]
    fn integrity_is_intact_or_what_is_wrong() {
        check_names(
            "verdict of integrity",
            [
                ("byte-range", Integrity::ByteRange),
                ("digest-mismatch", Integrity::DigestMismatch),
                ("intact", Integrity::Intact),
                ("malformed", Integrity::Malformed),
                ("modified", Integrity::Modified),
                ("signature-mismatch", Integrity::SignatureMismatch),
                ("unsupported", Integrity::Unsupported),
            ],
            |signature, name| signature.integrity = name,
            |signature| signature.integrity,
        );
    }

    #[test]
    fn later_changes_have_a_kind_and_a_sentence_on_one_line() {
        check_names(
            "kind of later changes",
            [
                ("none", ChangeKind::None),
                ("validation-data", ChangeKind::ValidationData),
                ("signing", ChangeKind::Signing),
                ("form-filling", ChangeKind::FormFilling),
                ("annotations", ChangeKind::Annotations),
                ("other", ChangeKind::Other),
                ("unknown", ChangeKind::Unknown),
            ],
            |signature, name| signature.later_changes.kind = name,
            |signature| signature.later_changes.kind,
        );
        let signature = signature_with(|signature| {
            signature.later_changes.unpermitted = Some("A page\nis new.".to_owned());
        });
        let told = signature.later_changes.unpermitted;
        assert_eq!(told.as_deref(), Some(r"A page\nis new."));
    }

    #[test]
    fn a_time_stamp_has_a_kind() {
        check_names(
            "kind of time-stamp",
            [
                ("signature", TimestampKind::Signature),
                ("content", TimestampKind::Content),
                ("archive", TimestampKind::Archive),
                ("document", TimestampKind::Document),
                ("time-mark", TimestampKind::TimeMark),
            ]
            .map(|(name, kind)| {
                let stamp = TimestampEvidence {
                    kind,
                    token: vec![3],
                    time: None,
                    status: TimestampStatus::Intact,
                };
                (name, vec![stamp])
            }),
            |signature, kind| signature.timestamps = vec![stamped(&kind, "intact")],
            |signature| signature.timestamps,
        );
    }

    #[test]
    fn a_time_stamp_is_intact_or_has_what_is_wrong() {
        check_names(
            "status of a time-stamp",
            [
                ("imprint-mismatch", TimestampStatus::ImprintMismatch),
                ("intact", TimestampStatus::Intact),
                ("malformed", TimestampStatus::Malformed),
                ("signature-mismatch", TimestampStatus::SignatureMismatch),
                ("unverifiable", TimestampStatus::Unverifiable),
            ],
            |signature, status| signature.timestamps = vec![stamped("signature", &status)],
            |signature| signature.timestamps[0].status,
        );
    }

    #[test]
    fn a_level_of_any_profile_is_one_word() {
        for level in ["XAdES-LT", "unknown", OTHER] {
            let signature = signature_with(|signature| signature.level = level.to_owned());
            assert_eq!(signature.level, level);
        }
        for level in ["", "B T"] {
            assert_eq!(
                read(|signature| signature.level = level.to_owned()),
                Err(ContractBreach::unknown("level", level))
            );
        }
    }
}
