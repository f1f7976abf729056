//! Checks of an output by the evidence of `verify` before and after. Any doubt refuses it.

use std::collections::HashSet;

use bytes::Bytes;
use parafa_catalogue::{
    BaselineLevel, CoverageKind, Integrity, NeedKind, SignatureKind, TargetLevel, TimestampKind,
    TimestampStatus, Verdict, need_params,
};

use super::contents::Covered;
use crate::contract::text;
use crate::{
    Answer, Archived, ContractBreach, Coverage, Evidence, EvidenceError, HostPayload, Need,
    Outcome, Payload, SignRequest, SignatureEvidence, TimestampEvidence, verify_with_certificate,
};

/// The bytes that a device signed, its signature value, and the authorities' time-stamps.
pub(crate) struct Signed<'a> {
    payload: &'a Payload,
    value: &'a [u8],
    timestamps: Answered<'a>,
}

/// The expectations of a new signature.
pub(crate) struct Signing<'a> {
    pub(crate) request: &'a SignRequest,
    pub(crate) outcome: &'a Outcome,
    /// The coverage in formats with members or companions; otherwise the entire file.
    pub(crate) covers: Option<&'a Covered>,
}

/// The expectations of an archived document.
pub(crate) struct Archiving<'a> {
    pub(crate) target: TargetLevel,
    pub(crate) answers: &'a [Answer],
    pub(crate) outcome: &'a Archived,
}

/// Answered time-stamps, each to be used once, for the purpose of its need.
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
    /// Collects those of `answers`; a need without a kind means `usual`.
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

    /// Marks this time-stamp as used; returns true if it was answered and unused.
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

/// Checks the evidence `after` against the evidence `before`, the signed bytes and the request.
/// Returns the new signature and the earlier ones.
pub(crate) fn check(
    before: &Evidence,
    after: Evidence,
    mut signed: Signed<'_>,
    signing: &Signing<'_>,
) -> Result<(SignatureEvidence, Vec<SignatureEvidence>), EvidenceError> {
    check_revocation_kept(before, &after)?;
    let (earlier, mut new) = split(&before.signatures, after.signatures)?;
    match (new.pop(), new.len()) {
        (Some(new), 0) => {
            check_new(&new, &mut signed, signing)?;
            Ok((new, earlier))
        }
        (None, _) => Err(EvidenceError::NotOneNew(0)),
        (Some(_), others) => Err(EvidenceError::NotOneNew(others + 1)),
    }
}

/// Checks that the signatures of `before` are unchanged, and that there are no others.
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

/// Checks that the signatures of `before` are unchanged, and that only document time-stamps are
/// new. Revocation data and time-stamps must be added exactly as answered. The signatures must have
/// the claimed level, which is an archival one and at least the requested one.
pub(crate) fn check_archived(
    before: &Evidence,
    after: Evidence,
    archiving: &Archiving<'_>,
) -> Result<Vec<SignatureEvidence>, EvidenceError> {
    let Archiving {
        target,
        answers,
        outcome,
    } = *archiving;
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
    // Signatures of other profiles have no level to raise, and document time-stamps are not
    // signatures.
    let lowest = signatures
        .iter()
        .filter(|signature| signature.kind == SignatureKind::Signature)
        .filter_map(|signature| Some((BaselineLevel::of(&signature.level)?, &signature.level)))
        .min_by_key(|(baseline, _)| *baseline);
    let reached = match lowest {
        Some((baseline, level)) if baseline >= BaselineLevel::Lt && *level == outcome.level => {
            baseline
        }
        lowest => {
            return Err(EvidenceError::LevelNotReached {
                claimed: shown(&outcome.level),
                actual: lowest.map_or_else(String::new, |(_, level)| shown(level)),
            });
        }
    };
    if target == TargetLevel::BLta {
        if reached < BaselineLevel::Lta {
            return Err(EvidenceError::BelowTarget {
                target,
                actual: shown(&outcome.level),
            });
        }
        check_stamped_once(&before.signatures, &earlier, &new)?;
    }
    Ok(signatures)
}

/// Checks that an archive of level B-LTA added one time-stamp over the document, or one in each
/// signature that has a level. One that was there before is not enough: whoever asks again wants
/// the document to outlast it.
fn check_stamped_once(
    before: &[SignatureEvidence],
    earlier: &[SignatureEvidence],
    new: &[SignatureEvidence],
) -> Result<(), EvidenceError> {
    let mut has_any = false;
    let mut is_one_each = true;
    for (was, is) in in_pairs(before, earlier) {
        let mut added = added_timestamps(was, is)?;
        added.retain(|timestamp| timestamp.kind == TimestampKind::Archive);
        has_any |= !added.is_empty();
        let has_level =
            is.kind == SignatureKind::Signature && BaselineLevel::of(&is.level).is_some();
        is_one_each &= added.len() == 1 || (added.is_empty() && !has_level);
    }
    match new {
        [] if has_any && is_one_each => Ok(()),
        [stamp] if !has_any => match stamp.coverage.kind {
            CoverageKind::EntireFile | CoverageKind::Members => Ok(()),
            CoverageKind::EntireRevision | CoverageKind::Partial => {
                Err(EvidenceError::TimestampPartial(shown(&stamp.id)))
            }
        },
        _ => Err(EvidenceError::NotStampedOnce),
    }
}

/// Checks the number of an archive's time-stamps, including answered ones: one for each signature,
/// and one for the document.
pub(crate) fn check_timestamps_asked(
    needs: &[Need],
    answers: &[Answer],
    signatures: &[SignatureEvidence],
) -> Result<(), ContractBreach> {
    let answered = answers.iter().map(|answer| &answer.need);
    let asked = answered.chain(needs);
    let asked = asked.filter(|need| need.kind == NeedKind::Timestamp);
    let signatures = signatures.iter();
    let signatures = signatures.filter(|one| one.kind == SignatureKind::Signature);
    let (asked, most) = (asked.count(), signatures.count() + 1);
    if asked > most {
        return Err(ContractBreach::TooManyTimestamps { asked, most });
    }
    Ok(())
}

/// Checks that a signature's time-stamps are unchanged; returns the additional ones.
fn added_timestamps<'e>(
    was: &SignatureEvidence,
    is: &'e SignatureEvidence,
) -> Result<Vec<&'e TimestampEvidence>, EvidenceError> {
    let mut added: Vec<&TimestampEvidence> = is.timestamps.iter().collect();
    for timestamp in &was.timestamps {
        // A time-stamp that could not be verified before may be verifiable now.
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

/// Checks that a new entry other than a signature is an answered document time-stamp.
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

/// Checks that all revocation data of `before` are present, and that new ones were answered. They
/// belong to the document; the plugin assigns them to signatures.
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

/// Splits `after` into the earlier signatures, unchanged, and the new ones.
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

/// Returns each earlier signature with its current state.
fn in_pairs<'e>(
    before: &'e [SignatureEvidence],
    after: &'e [SignatureEvidence],
) -> impl Iterator<Item = (&'e SignatureEvidence, &'e SignatureEvidence)> {
    before.iter().filter_map(|was| {
        let is = after.iter().find(|is| is.id == was.id)?;
        Some((was, is))
    })
}

/// Refuses evidence with ambiguous signature ids.
pub(crate) fn refuse_ambiguous_ids(evidence: &[SignatureEvidence]) -> Result<(), EvidenceError> {
    let mut ids = HashSet::new();
    match evidence.iter().find(|evidence| !ids.insert(&evidence.id)) {
        Some(evidence) => Err(EvidenceError::AmbiguousId(shown(&evidence.id))),
        None => Ok(()),
    }
}

/// Checks an earlier signature. It may cover less of the file than before, but the same members,
/// and may have gained validation data; nothing else may differ.
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
    signing: &Signing<'_>,
) -> Result<(), EvidenceError> {
    let Signing {
        request,
        outcome,
        covers,
    } = *signing;
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
        (
            "certificate that it names",
            !matches!(new.certificate, Verdict::Broken(_)),
        ),
        (
            "digest of a member",
            new.digests
                .iter()
                .all(|member| member.digest == Verdict::Holds),
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

/// Returns an id for display: documents choose it.
fn shown(id: &str) -> String {
    text::line(id, text::NAME_BYTES).into_owned()
}

#[cfg(test)]
mod tests;
