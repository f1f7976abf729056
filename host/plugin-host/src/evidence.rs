//! Whether a document is what was to be made, by the evidence that `verify`
//! gives before and after. Any doubt refuses it.

use std::collections::HashSet;

use bytes::Bytes;
use parafa_catalogue::{
    BaselineLevel, CoverageKind, Integrity, NeedKind, SignatureKind, TargetLevel, TimestampKind,
    TimestampStatus, need_params,
};

use crate::contents::Covered;
use crate::crypto::{CryptoError, verify_with_certificate};
use crate::text;
use crate::{
    Answer, Archived, Coverage, Evidence, Outcome, Payload, SignRequest, SignatureEvidence,
    TimestampEvidence,
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
    /// A time-stamp is new, and nobody answered it for that; or it is not intact.
    #[error("a time-stamp of {0:?} is new, and is none that was answered for it, or not intact")]
    TimestampUnasked(String),
    /// A time-stamp that was answered is not in the document.
    #[error("a time-stamp that was answered is not there")]
    TimestampUnused,
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

/// What a device was asked to sign, the value that it gave, and the time-stamps
/// that authorities gave.
pub(crate) struct Signed<'a> {
    payload: &'a Payload,
    value: &'a [u8],
    timestamps: Answered<'a>,
}

/// Time-stamps that were answered, each to be used once, for what it was asked.
struct Answered<'a>(Vec<(Option<TimestampKind>, &'a [u8])>);

impl<'a> Signed<'a> {
    pub(crate) fn by(answers: &'a [Answer]) -> Result<Self, EvidenceError> {
        answers
            .iter()
            .find(|answer| answer.need.kind == NeedKind::Signature)
            .and_then(|answer| {
                let value = answer.outcome.as_ref().ok()?;
                Some(Self {
                    payload: &answer.need.payload,
                    value,
                    timestamps: Answered::of(answers, TimestampKind::Signature),
                })
            })
            .ok_or(EvidenceError::NobodySigned)
    }
}

impl<'a> Answered<'a> {
    /// Those of `answers`; a need that does not name a kind asks for `usual`.
    fn of(answers: &'a [Answer], usual: TimestampKind) -> Self {
        let answers = answers.iter();
        let answers = answers.filter(|answer| answer.need.kind == NeedKind::Timestamp);
        let tokens = answers.filter_map(|answer| {
            let mut params = answer.need.params.iter();
            let named = params.find(|param| param.name == need_params::KIND);
            let kind = named.map_or(Some(usual), |kind| kind.value.parse().ok());
            Some((kind, answer.outcome.as_deref().ok()?))
        });
        Self(tokens.collect())
    }

    /// Uses the one that this is; answers whether there was one.
    fn uses(&mut self, timestamp: &TimestampEvidence) -> bool {
        let is_it = |(kind, token): &(Option<TimestampKind>, &[u8])| {
            *kind == Some(timestamp.kind) && *token == timestamp.token
        };
        let place = self.0.iter().position(is_it);
        let place = place.filter(|_| timestamp.status == TimestampStatus::Intact);
        place.map(|place| self.0.swap_remove(place)).is_some()
    }

    fn all_used(&self) -> bool {
        self.0.is_empty()
    }
}

/// Checks the evidence `after` against that from `before`, what was signed,
/// and what was requested, and splits it into the new signature and the
/// earlier ones. Formats with members say what it `covers`; of others it covers
/// the entire file.
pub(crate) fn check(
    before: &Evidence,
    after: Evidence,
    mut signed: Signed<'_>,
    request: &SignRequest,
    outcome: &Outcome,
    covers: Option<&Covered>,
) -> Result<(SignatureEvidence, Vec<SignatureEvidence>), EvidenceError> {
    check_revocation_kept(before, &after)?;
    let (earlier, mut new) = split(&before.signatures, after.signatures)?;
    match (new.pop(), new.len()) {
        (Some(new), 0) => {
            check_new(&new, &mut signed, request, outcome, covers)?;
            Ok((new, earlier))
        }
        (None, _) => Err(EvidenceError::NotOneNew(0)),
        (Some(_), others) => Err(EvidenceError::NotOneNew(others + 1)),
    }
}

/// Checks that there are the signatures of `before`, as they were, and no other
/// one.
pub(crate) fn check_kept(
    before: &Evidence,
    after: Evidence,
) -> Result<Vec<SignatureEvidence>, EvidenceError> {
    check_revocation_kept(before, &after)?;
    let (earlier, new) = split(&before.signatures, after.signatures)?;
    match new.first() {
        Some(new) => Err(EvidenceError::Unasked(shown(&new.id))),
        None => Ok(earlier),
    }
}

/// Checks that there are the signatures of `before`, as they were, and beside
/// them document time-stamps alone; that revocation data and time-stamps were
/// added exactly as they were answered; and that the signatures have the level
/// that is claimed, which is an archival one.
pub(crate) fn check_archived(
    before: &Evidence,
    after: Evidence,
    answers: &[Answer],
    outcome: &Archived,
) -> Result<Vec<SignatureEvidence>, EvidenceError> {
    check_revocation(before, &after, answers)?;
    let signatures = after.signatures.clone();
    let (earlier, new) = split(&before.signatures, after.signatures)?;
    let mut answered = Answered::of(answers, TimestampKind::Archive);
    for (was, is) in in_pairs(&before.signatures, &earlier) {
        let added = added_timestamps(was, is)?;
        if !added.into_iter().all(|timestamp| answered.uses(timestamp)) {
            return Err(EvidenceError::TimestampUnasked(shown(&is.id)));
        }
        if BaselineLevel::of(&is.level) < BaselineLevel::of(&was.level) {
            return Err(EvidenceError::EarlierChanged {
                id: shown(&was.id),
                what: "level",
            });
        }
    }
    for new in &new {
        check_document_timestamp(new, &mut answered)?;
    }
    if !answered.all_used() {
        return Err(EvidenceError::TimestampUnused);
    }
    // Signatures of other profiles have no level that could be raised, and what
    // time-stamps the document is no signature.
    let lowest = signatures
        .iter()
        .filter(|signature| signature.kind == SignatureKind::Signature)
        .filter_map(|signature| Some((BaselineLevel::of(&signature.level)?, &signature.level)))
        .min_by_key(|(baseline, _)| *baseline);
    match lowest {
        Some((baseline, level)) if baseline >= BaselineLevel::Lt && *level == outcome.level => {
            Ok(signatures)
        }
        lowest => Err(EvidenceError::LevelNotReached {
            claimed: shown(&outcome.level),
            actual: lowest.map_or_else(String::new, |(_, level)| shown(level)),
        }),
    }
}

/// Checks that a signature has all time-stamps that it had, as they were;
/// answers the others.
fn added_timestamps<'e>(
    was: &SignatureEvidence,
    is: &'e SignatureEvidence,
) -> Result<Vec<&'e TimestampEvidence>, EvidenceError> {
    let mut added: Vec<&TimestampEvidence> = is.timestamps.iter().collect();
    for timestamp in &was.timestamps {
        // What could not be verified may be now.
        let is_kept = |kept: &&TimestampEvidence| {
            kept.kind == timestamp.kind
                && kept.token == timestamp.token
                && (kept.status == timestamp.status || timestamp.status != TimestampStatus::Intact)
        };
        match added.iter().position(is_kept) {
            Some(place) => added.swap_remove(place),
            None => {
                return Err(EvidenceError::EarlierChanged {
                    id: shown(&was.id),
                    what: "time-stamp",
                });
            }
        };
    }
    Ok(added)
}

/// Checks that what is new beside the signatures is a document time-stamp that
/// was answered.
fn check_document_timestamp(
    new: &SignatureEvidence,
    answered: &mut Answered<'_>,
) -> Result<(), EvidenceError> {
    if new.kind != SignatureKind::DocumentTimestamp {
        return Err(EvidenceError::Unasked(shown(&new.id)));
    }
    match new.timestamps.as_slice() {
        [token]
            if token.kind == TimestampKind::Document
                && new.integrity == Integrity::Intact
                && answered.uses(token) =>
        {
            Ok(())
        }
        _ => Err(EvidenceError::TimestampUnasked(shown(&new.id))),
    }
}

/// Checks that all revocation data of `before` are there, and of others only
/// those that were answered. They are those of the document: which signatures
/// they belong to is for the plugin to say.
fn check_revocation(
    before: &Evidence,
    after: &Evidence,
    answers: &[Answer],
) -> Result<(), EvidenceError> {
    check_revocation_kept(before, after)?;
    let was: HashSet<&Bytes> = before.revocation.iter().collect();
    let answered: HashSet<&[u8]> = answers
        .iter()
        .filter(|answer| answer.need.kind == NeedKind::Revocation)
        .filter_map(|answer| answer.outcome.as_deref().ok())
        .collect();
    let mut added = after.revocation.iter().filter(|data| !was.contains(data));
    if added.all(|added| answered.contains(added.as_ref())) {
        Ok(())
    } else {
        Err(EvidenceError::RevocationUnasked)
    }
}

/// Checks that all revocation data of `before` are in `after`.
fn check_revocation_kept(before: &Evidence, after: &Evidence) -> Result<(), EvidenceError> {
    let is: HashSet<&Bytes> = after.revocation.iter().collect();
    if before.revocation.iter().all(|data| is.contains(data)) {
        Ok(())
    } else {
        Err(EvidenceError::RevocationGone)
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

/// An earlier signature may cover less of the file than before, but the same
/// members, and may have gained validation data; nothing else may differ.
fn check_earlier(was: &SignatureEvidence, is: &SignatureEvidence) -> Result<(), EvidenceError> {
    added_timestamps(was, is)?;
    let same = [
        ("kind", was.kind == is.kind),
        ("coverage", was.coverage.members == is.coverage.members),
        ("verdict of integrity", was.integrity == is.integrity),
        ("content that is signed", was.signed == is.signed),
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
    signed: &mut Signed<'_>,
    request: &SignRequest,
    outcome: &Outcome,
    covers: Option<&Covered>,
) -> Result<(), EvidenceError> {
    let is_stamped = new.timestamps.iter().any(|timestamp| {
        timestamp.kind == TimestampKind::Signature && timestamp.status == TimestampStatus::Intact
    });
    let is_reached = match request.target_level {
        TargetLevel::BB => true,
        _ => is_stamped && BaselineLevel::of(&new.level) >= Some(BaselineLevel::T),
    };
    let signer = new.signer_certificate.as_deref();
    // Tokens were checked when they were answered; others were not.
    let timestamps = &mut signed.timestamps;
    let are_answered = new.timestamps.iter().all(|token| timestamps.uses(token));
    let expected = [
        ("id", new.id == outcome.signature_id),
        ("kind", new.kind == SignatureKind::Signature),
        (
            "content that is signed",
            new.signed.is_of_same_bytes(signed.payload),
        ),
        ("value", new.value == signed.value),
        (
            "algorithm",
            new.algorithm == Some(request.signature_algorithm),
        ),
        (
            "certificate",
            signer.is_some() && signer == request.signer_chain.first().map(Vec::as_slice),
        ),
        ("verdict of integrity", new.integrity == Integrity::Intact),
        ("coverage", is_covered(&new.coverage, covers)),
        ("time-stamp", are_answered && timestamps.all_used()),
        ("level", new.level == outcome.level && is_reached),
    ];
    if let Some((what, _)) = expected.into_iter().find(|(_, holds)| !holds) {
        return Err(EvidenceError::OtherThan(what));
    }
    let verified = verify_with_certificate(
        signer.unwrap_or_default(),
        request.signature_algorithm,
        signed.payload,
        &new.value,
    );
    match verified {
        Ok(true) => Ok(()),
        Ok(false) => Err(EvidenceError::Unverified),
        Err(error) => Err(EvidenceError::Unverifiable(error)),
    }
}

fn is_covered(coverage: &Coverage, covers: Option<&Covered>) -> bool {
    match covers {
        Some(covers) => coverage.kind == CoverageKind::Members && covers.is(&coverage.members),
        None => coverage.kind == CoverageKind::EntireFile && coverage.members.is_empty(),
    }
}

/// An id for people: documents choose it.
fn shown(id: &str) -> String {
    text::line(id, text::NAME_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use parafa_catalogue::ChangeKind;

    use super::*;
    use crate::{LaterChanges, Need, Parameter};

    const LEVEL: &str = "XAdES-LT";

    /// A signature at level LT with these time-stamps.
    fn signature(timestamps: &[TimestampEvidence]) -> SignatureEvidence {
        SignatureEvidence {
            id: "one".to_owned(),
            kind: SignatureKind::Signature,
            claimed_time: None,
            signed: Payload::Bytes(Vec::new()),
            value: Vec::new(),
            algorithm: None,
            signer_certificate: None,
            certificates: Vec::new(),
            revocation: Vec::new(),
            timestamps: timestamps.to_vec(),
            coverage: Coverage {
                kind: CoverageKind::EntireFile,
                members: Vec::new(),
            },
            integrity: Integrity::Intact,
            later_changes: LaterChanges {
                kind: ChangeKind::None,
                unpermitted: None,
            },
            level: LEVEL.to_owned(),
        }
    }

    fn document_timestamp(token: TimestampEvidence) -> SignatureEvidence {
        SignatureEvidence {
            id: "two".to_owned(),
            kind: SignatureKind::DocumentTimestamp,
            ..signature(&[token])
        }
    }

    fn timestamp(kind: TimestampKind, token: &str) -> TimestampEvidence {
        TimestampEvidence {
            kind,
            token: token.as_bytes().to_vec(),
            time: None,
            status: TimestampStatus::Intact,
        }
    }

    fn evidence(revocation: &[&str], signatures: &[SignatureEvidence]) -> Evidence {
        let revocation = revocation.iter();
        Evidence {
            revocation: revocation
                .map(|text| Bytes::from((*text).to_owned()))
                .collect(),
            signatures: signatures.to_vec(),
        }
    }

    fn answer(kind: NeedKind, text: &str) -> Answer {
        Answer {
            need: Need {
                id: text.to_owned(),
                kind,
                payload: Payload::Bytes(Vec::new()),
                digest_algorithm: None,
                params: Vec::new(),
            },
            outcome: Ok(text.as_bytes().to_vec()),
        }
    }

    fn token(kind: TimestampKind, text: &str) -> Answer {
        let mut answer = answer(NeedKind::Timestamp, text);
        answer.need.params.push(Parameter {
            name: need_params::KIND.to_owned(),
            value: kind.name().to_owned(),
        });
        answer
    }

    fn archived(
        before: &Evidence,
        after: Evidence,
        answers: &[Answer],
    ) -> Result<(), EvidenceError> {
        let outcome = Archived {
            media_type: "application/x-toy".to_owned(),
            level: LEVEL.to_owned(),
        };
        check_archived(before, after, answers, &outcome).map(drop)
    }

    fn with_revocation(before: &[&str], after: &[&str]) -> Result<(), EvidenceError> {
        let answers = [
            answer(NeedKind::Revocation, "answered"),
            answer(NeedKind::Certificate, "issuer"),
        ];
        let [before, after] = [before, after].map(|data| evidence(data, &[signature(&[])]));
        archived(&before, after, &answers)
    }

    #[test]
    fn an_archive_adds_the_revocation_data_that_were_answered() {
        for (before, after) in [
            (&[][..], &["answered"][..]),
            (&["held"], &["held"]),
            (&["held"], &["answered", "held"]),
        ] {
            assert_eq!(with_revocation(before, after), Ok(()));
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
            assert_eq!(with_revocation(before, after), Err(expected));
        }
    }

    /// What comes of an archive of a signature with one time-stamp, for which
    /// one of its archive and one of the document were answered.
    fn with_timestamps(after: &[SignatureEvidence]) -> Result<(), EvidenceError> {
        let before = evidence(
            &[],
            &[signature(&[timestamp(TimestampKind::Signature, "s")])],
        );
        let answers = [
            token(TimestampKind::Archive, "a"),
            token(TimestampKind::Document, "d"),
        ];
        archived(&before, evidence(&[], after), &answers)
    }

    #[test]
    fn an_archive_adds_exactly_the_time_stamps_that_were_answered() {
        let [of_signature, of_archive, of_document] = [
            timestamp(TimestampKind::Signature, "s"),
            timestamp(TimestampKind::Archive, "a"),
            timestamp(TimestampKind::Document, "d"),
        ];
        let raised = signature(&[of_signature.clone(), of_archive.clone()]);
        let stamped = document_timestamp(of_document.clone());
        let unasked = |id: &str| Err(EvidenceError::TimestampUnasked(id.to_owned()));

        assert_eq!(with_timestamps(&[raised.clone(), stamped.clone()]), Ok(()));
        assert_eq!(
            with_timestamps(std::slice::from_ref(&raised)),
            Err(EvidenceError::TimestampUnused)
        );
        let twice = signature(&[of_signature.clone(), of_archive.clone(), of_archive.clone()]);
        assert_eq!(with_timestamps(&[twice, stamped.clone()]), unasked("one"));
        let made_up = signature(&[of_signature.clone(), timestamp(TimestampKind::Archive, "x")]);
        assert_eq!(with_timestamps(&[made_up, stamped.clone()]), unasked("one"));
        let broken = TimestampEvidence {
            status: TimestampStatus::ImprintMismatch,
            ..of_archive.clone()
        };
        let broken = signature(&[of_signature.clone(), broken]);
        assert_eq!(with_timestamps(&[broken, stamped.clone()]), unasked("one"));
        let of_another_kind = timestamp(TimestampKind::Content, "a");
        let of_another_kind = signature(&[of_signature.clone(), of_another_kind]);
        assert_eq!(
            with_timestamps(&[of_another_kind, stamped.clone()]),
            unasked("one")
        );
        let swapped = document_timestamp(of_archive.clone());
        assert_eq!(with_timestamps(&[raised.clone(), swapped]), unasked("two"));
        let another = SignatureEvidence {
            kind: SignatureKind::Signature,
            ..stamped.clone()
        };
        assert_eq!(
            with_timestamps(&[raised, another]),
            Err(EvidenceError::Unasked("two".to_owned()))
        );
        assert_eq!(
            with_timestamps(&[signature(&[of_archive]), stamped]),
            Err(EvidenceError::EarlierChanged {
                id: "one".to_owned(),
                what: "time-stamp"
            })
        );
    }

    #[test]
    fn what_joins_a_document_takes_nothing_from_the_signatures_before_it() {
        let stamp = timestamp(TimestampKind::Signature, "s");
        let was = signature(std::slice::from_ref(&stamp));
        let before = evidence(&["held"], std::slice::from_ref(&was));
        let kept = |after: Evidence| check_kept(&before, after).map(drop);
        let changed = |what| {
            Err(EvidenceError::EarlierChanged {
                id: "one".to_owned(),
                what,
            })
        };

        assert_eq!(kept(before.clone()), Ok(()));
        assert_eq!(
            kept(evidence(&[], std::slice::from_ref(&was))),
            Err(EvidenceError::RevocationGone)
        );
        assert_eq!(
            kept(evidence(&["held"], &[signature(&[])])),
            changed("time-stamp")
        );
        let broken = TimestampEvidence {
            status: TimestampStatus::ImprintMismatch,
            ..stamp
        };
        assert_eq!(
            kept(evidence(&["held"], &[signature(&[broken])])),
            changed("time-stamp")
        );
        let mut fewer = was.clone();
        fewer.coverage.members = vec!["another".to_owned()];
        assert_eq!(kept(evidence(&["held"], &[fewer])), changed("coverage"));
        let of_a_clock = SignatureEvidence {
            kind: SignatureKind::DocumentTimestamp,
            ..was
        };
        assert_eq!(kept(evidence(&["held"], &[of_a_clock])), changed("kind"));
    }

    #[test]
    fn a_document_time_stamp_raises_no_signature() {
        let low = SignatureEvidence {
            level: "XAdES-B-T".to_owned(),
            ..signature(&[])
        };
        let before = evidence(&[], std::slice::from_ref(&low));
        let stamped = document_timestamp(timestamp(TimestampKind::Document, "d"));
        let answers = [token(TimestampKind::Document, "d")];

        assert_eq!(
            archived(&before, evidence(&[], &[low, stamped]), &answers),
            Err(EvidenceError::LevelNotReached {
                claimed: LEVEL.to_owned(),
                actual: "XAdES-B-T".to_owned()
            })
        );
    }
}
