//! Whether a document is what was to be made, by the evidence that `verify`
//! gives before and after. Any doubt refuses it.

use std::collections::HashSet;

use crate::crypto::{CryptoError, verify_with_certificate};
use crate::text;
use crate::{
    Answer, Archived, Coverage, Integrity, NeedKind, Outcome, SignRequest, SignatureEvidence,
    TargetLevel,
};

/// What does not hold about a signed document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Two signatures have the same id.
    #[error("two signatures have the id {0:?}")]
    AmbiguousId(String),
    /// An earlier signature is not what it was.
    #[error("the earlier signature {id:?} has another {what}")]
    EarlierChanged {
        /// Which signature.
        id: String,
        /// What about it.
        what: &'static str,
    },
    /// An earlier signature is gone.
    #[error("the earlier signature {0:?} is gone")]
    EarlierGone(String),
    /// The document is not at the level that is claimed.
    #[error("the level is claimed to be {claimed:?}, but {actual:?} is the lowest")]
    LevelNotReached {
        /// What the plugin says.
        claimed: String,
        /// The lowest one that a signature has.
        actual: String,
    },
    /// Nobody was asked to sign, or nobody did.
    #[error("there is an outcome but no answer with a signature")]
    NobodySigned,
    /// There is not exactly one new signature.
    #[error("there are {0} new signatures")]
    NotOneNew(usize),
    /// There is a signature that nobody was asked for.
    #[error("the signature {0:?} is new, and nobody was asked for it")]
    Unasked(String),
    /// Revocation data are gone.
    #[error("revocation data that the document had are gone")]
    RevocationGone,
    /// Revocation data are new, and nobody answered them.
    #[error("there are revocation data that nobody answered")]
    RevocationUnasked,
    /// Something about the new signature is not what it should be.
    #[error("the new signature has another {0} than it should have")]
    OtherThan(&'static str),
    /// The value does not verify under the certificate.
    #[error("the new signature's value does not verify")]
    Unverified,
    /// Whether the value verifies cannot be computed.
    #[error("the new signature cannot be verified")]
    Unverifiable(#[source] CryptoError),
}

/// What a device was asked to sign, the value that it gave, and the tokens
/// that authorities gave.
pub(crate) struct Signed<'a> {
    bytes: &'a [u8],
    value: &'a [u8],
    timestamps: Vec<&'a [u8]>,
}

impl<'a> Signed<'a> {
    pub(crate) fn by(answers: &'a [Answer]) -> Result<Self, EvidenceError> {
        answers
            .iter()
            .find(|answer| answer.need.kind == NeedKind::Signature)
            .and_then(|answer| {
                let value = answer.outcome.as_ref().ok()?;
                Some(Self {
                    bytes: &answer.need.payload,
                    value,
                    timestamps: tokens(answers),
                })
            })
            .ok_or(EvidenceError::NobodySigned)
    }
}

fn tokens(answers: &[Answer]) -> Vec<&[u8]> {
    answers
        .iter()
        .filter(|answer| answer.need.kind == NeedKind::Timestamp)
        .filter_map(|answer| answer.outcome.as_deref().ok())
        .collect()
}

/// Checks the evidence `after` against that from `before`, what was signed,
/// and what was requested, and splits it into the new signature and the
/// earlier ones.
pub(crate) fn check(
    before: &[SignatureEvidence],
    after: Vec<SignatureEvidence>,
    signed: &Signed<'_>,
    request: &SignRequest,
    outcome: &Outcome,
) -> Result<(SignatureEvidence, Vec<SignatureEvidence>), EvidenceError> {
    let (earlier, mut new) = split(before, after)?;
    match (new.pop(), new.len()) {
        (Some(new), 0) => {
            check_new(&new, signed, request, outcome)?;
            Ok((new, earlier))
        }
        (None, _) => Err(EvidenceError::NotOneNew(0)),
        (Some(_), others) => Err(EvidenceError::NotOneNew(others + 1)),
    }
}

/// Checks that there are the signatures of `before`, as they were, and no other
/// one.
pub(crate) fn check_kept(
    before: &[SignatureEvidence],
    after: Vec<SignatureEvidence>,
) -> Result<Vec<SignatureEvidence>, EvidenceError> {
    let (earlier, new) = split(before, after)?;
    match new.first() {
        Some(new) => Err(EvidenceError::Unasked(shown(&new.id))),
        None => Ok(earlier),
    }
}

/// Checks that there are the signatures of `before` and no other one, that they
/// are as they were, that revocation data were added as they were answered, and
/// that they have the level that is claimed, which is an archival one.
pub(crate) fn check_archived(
    before: &[SignatureEvidence],
    after: Vec<SignatureEvidence>,
    answers: &[Answer],
    outcome: &Archived,
) -> Result<Vec<SignatureEvidence>, EvidenceError> {
    let signatures = check_kept(before, after)?;
    check_revocation(before, &signatures, answers)?;
    for (was, is) in in_pairs(before, &signatures) {
        let changed = |what| EvidenceError::EarlierChanged {
            id: shown(&was.id),
            what,
        };
        if !was.tokens().eq(is.tokens()) {
            return Err(changed("time-stamp"));
        }
        if Baseline::of(&is.level) < Baseline::of(&was.level) {
            return Err(changed("level"));
        }
    }
    // Signatures of other profiles have no level that could be raised.
    let lowest = signatures
        .iter()
        .filter_map(|signature| Some((Baseline::of(&signature.level)?, &signature.level)))
        .min_by_key(|(baseline, _)| *baseline);
    match lowest {
        Some((baseline, level)) if baseline >= Baseline::Lt && *level == outcome.level => {
            Ok(signatures)
        }
        lowest => Err(EvidenceError::LevelNotReached {
            claimed: shown(&outcome.level),
            actual: lowest.map_or_else(String::new, |(_, level)| shown(level)),
        }),
    }
}

/// Checks that all revocation data of `before` are there, and of others only
/// those that were answered. They are those of the document: which signatures
/// they belong to is for the plugin to say.
fn check_revocation(
    before: &[SignatureEvidence],
    after: &[SignatureEvidence],
    answers: &[Answer],
) -> Result<(), EvidenceError> {
    let (was, is) = (revocation(before), revocation(after));
    if !was.is_subset(&is) {
        return Err(EvidenceError::RevocationGone);
    }
    let answered: HashSet<&[u8]> = answers
        .iter()
        .filter(|answer| answer.need.kind == NeedKind::Revocation)
        .filter_map(|answer| answer.outcome.as_deref().ok())
        .collect();
    if is.difference(&was).all(|added| answered.contains(added)) {
        Ok(())
    } else {
        Err(EvidenceError::RevocationUnasked)
    }
}

fn revocation(signatures: &[SignatureEvidence]) -> HashSet<&[u8]> {
    let data = signatures.iter().flat_map(|one| &one.revocation);
    data.map(Vec::as_slice).collect()
}

/// The baseline levels of signatures (ETSI EN 319 142-1 and EN 319 132-1,
/// clause 6), each of which has what the one before has.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Baseline {
    B,
    T,
    Lt,
    Lta,
}

impl Baseline {
    /// The level that a name such as `PAdES-B-LT` ends in; none of other
    /// profiles.
    fn of(level: &str) -> Option<Self> {
        match level.rsplit('-').next()? {
            "B" => Some(Self::B),
            "T" => Some(Self::T),
            "LT" => Some(Self::Lt),
            "LTA" => Some(Self::Lta),
            _ => None,
        }
    }
}

/// The earlier signatures in `after`, which are as they were, and the new ones.
fn split(
    before: &[SignatureEvidence],
    after: Vec<SignatureEvidence>,
) -> Result<(Vec<SignatureEvidence>, Vec<SignatureEvidence>), EvidenceError> {
    refuse_ambiguous_ids(before)?;
    refuse_ambiguous_ids(&after)?;
    let is_earlier =
        |evidence: &SignatureEvidence| before.iter().any(|earlier| earlier.id == evidence.id);
    let (earlier, new): (Vec<_>, Vec<_>) = after.into_iter().partition(is_earlier);
    for was in before {
        match earlier.iter().find(|is| is.id == was.id) {
            Some(is) => check_earlier(was, is)?,
            None => return Err(EvidenceError::EarlierGone(shown(&was.id))),
        }
    }
    Ok((earlier, new))
}

/// Signatures as they were and as they are.
fn in_pairs<'e>(
    before: &'e [SignatureEvidence],
    after: &'e [SignatureEvidence],
) -> impl Iterator<Item = (&'e SignatureEvidence, &'e SignatureEvidence)> {
    before.iter().filter_map(|was| {
        let is = after.iter().find(|is| is.id == was.id)?;
        Some((was, is))
    })
}

/// Refuses evidence whose signatures cannot be told apart.
pub(crate) fn refuse_ambiguous_ids(evidence: &[SignatureEvidence]) -> Result<(), EvidenceError> {
    let mut ids = HashSet::new();
    match evidence.iter().find(|evidence| !ids.insert(&evidence.id)) {
        Some(evidence) => Err(EvidenceError::AmbiguousId(shown(&evidence.id))),
        None => Ok(()),
    }
}

/// An earlier signature may cover less of the file than before, and may have
/// gained validation data; nothing else may differ.
fn check_earlier(was: &SignatureEvidence, is: &SignatureEvidence) -> Result<(), EvidenceError> {
    let same = [
        ("verdict of integrity", was.integrity == is.integrity),
        (
            "content that is signed",
            was.signed_bytes == is.signed_bytes,
        ),
        ("value", was.value == is.value),
        ("algorithm", was.algorithm == is.algorithm),
        (
            "certificate",
            was.signer_certificate == is.signer_certificate,
        ),
    ];
    match same.into_iter().find(|(_, same)| !same) {
        Some((what, _)) => Err(EvidenceError::EarlierChanged {
            id: shown(&was.id),
            what,
        }),
        None => Ok(()),
    }
}

fn check_new(
    new: &SignatureEvidence,
    signed: &Signed<'_>,
    request: &SignRequest,
    outcome: &Outcome,
) -> Result<(), EvidenceError> {
    let stamped = request.target_level == TargetLevel::BB || !new.timestamps.is_empty();
    let expected = [
        ("id", new.id == outcome.signature_id),
        ("content that is signed", new.signed_bytes == signed.bytes),
        ("value", new.value == signed.value),
        (
            "algorithm",
            new.algorithm == Some(request.signature_algorithm),
        ),
        (
            "certificate",
            Some(&new.signer_certificate) == request.signer_chain.first(),
        ),
        ("verdict of integrity", new.integrity == Integrity::Intact),
        ("coverage", new.coverage == Coverage::EntireFile),
        // Tokens were checked when they were answered; others were not.
        (
            "time-stamp",
            new.tokens().eq(signed.timestamps.iter().copied()),
        ),
        ("level", new.level == outcome.level && stamped),
    ];
    if let Some((what, _)) = expected.into_iter().find(|(_, holds)| !holds) {
        return Err(EvidenceError::OtherThan(what));
    }
    let verified = verify_with_certificate(
        &new.signer_certificate,
        request.signature_algorithm,
        &new.signed_bytes,
        &new.value,
    );
    match verified {
        Ok(true) => Ok(()),
        Ok(false) => Err(EvidenceError::Unverified),
        Err(error) => Err(EvidenceError::Unverifiable(error)),
    }
}

/// An id for people: documents choose it.
fn shown(id: &str) -> String {
    text::line(id, text::NAME_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChangeKind, LaterChanges, Need, SignatureKind};

    /// A signature at level B-LT with these revocation data.
    fn signature(revocation: &[&str]) -> SignatureEvidence {
        SignatureEvidence {
            id: "one".to_owned(),
            kind: SignatureKind::Signature,
            claimed_time: None,
            signed_bytes: Vec::new(),
            value: Vec::new(),
            algorithm: None,
            signer_certificate: Vec::new(),
            certificates: Vec::new(),
            timestamps: Vec::new(),
            revocation: bytes(revocation),
            coverage: Coverage::EntireFile,
            integrity: Integrity::Intact,
            later_changes: LaterChanges {
                kind: ChangeKind::None,
                unpermitted: None,
            },
            level: LEVEL.to_owned(),
        }
    }

    const LEVEL: &str = "XAdES-LT";

    fn bytes(texts: &[&str]) -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn answer(kind: NeedKind, text: &str) -> Answer {
        Answer {
            need: Need {
                id: text.to_owned(),
                kind,
                payload: Vec::new(),
                digest_algorithm: None,
                params: Vec::new(),
            },
            outcome: Ok(text.as_bytes().to_vec()),
        }
    }

    fn checked(before: &[&str], after: &[&str]) -> Result<(), EvidenceError> {
        let answers = [
            answer(NeedKind::Revocation, "answered"),
            answer(NeedKind::Certificate, "issuer"),
        ];
        let outcome = Archived {
            media_type: "application/x-toy".to_owned(),
            level: LEVEL.to_owned(),
        };
        let after = vec![signature(after)];
        check_archived(&[signature(before)], after, &answers, &outcome).map(drop)
    }

    #[test]
    fn an_archive_adds_the_revocation_data_that_were_answered() {
        for (before, after) in [
            (&[][..], &["answered"][..]),
            (&["held"], &["held"]),
            (&["held"], &["answered", "held"]),
        ] {
            assert_eq!(checked(before, after), Ok(()));
        }
    }

    #[test]
    fn an_archive_loses_no_revocation_data_and_makes_none_up() {
        for (before, after, expected) in [
            (
                &["held"][..],
                &["answered"][..],
                EvidenceError::RevocationGone,
            ),
            (&[], &["made up"], EvidenceError::RevocationUnasked),
            (
                &[],
                &["answered", "issuer"],
                EvidenceError::RevocationUnasked,
            ),
        ] {
            assert_eq!(checked(before, after), Err(expected));
        }
    }
}
