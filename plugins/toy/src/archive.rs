//! `archive`: revocation data for each signature and, if the document has files, a time-stamp over
//! it. Documents without files cannot be raised to B-LTA.

use parafa_plugin_sdk::core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, Blob, Digest, Environment, MemberRole, Need,
    NeedKind, Payload, Refusal, Sink, Step, TargetLevel, TimestampKind, reason, refusal,
};

use crate::behaviour::{Rule, Stage};
use crate::pieces::{DIGEST, Piece, digest, unsound};
use crate::text::OverTexts;
use crate::toy::{File, Toy, forged, stored_line, timestamp, validation};
use crate::{LEVEL_LT, LEVEL_LTA, LEVEL_T, MEDIA_TYPE, OTHER_TYPE, OWN_LEVEL, long_level, verify};

const TIMESTAMP: &str = "timestamp";

pub(crate) fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    request: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    let toy = Toy::read(blob)?;
    toy.behaviour.at(Stage::Archive)?;
    let is_for_lta =
        request.target_level == TargetLevel::BLta.name() && !toy.breaks(Rule::ArchiveIgnoresTarget);
    if is_for_lta && !toy.has_files() {
        let detail = "a toy without files has no time-stamp over itself";
        return Err(Refusal::new(refusal::BAD_REQUEST, detail));
    }
    let text = toy.text(environment, blob)?;
    let evidence = verify::verify(&OverTexts(environment), &text)?;
    let signatures = evidence.signatures.iter();
    let unstamped = signatures.filter(|signature| signature.level != LEVEL_T);
    let unstamped: Vec<_> = unstamped.map(|signature| signature.id.clone()).collect();
    if !unstamped.is_empty() {
        return Err(Refusal {
            subjects: unstamped,
            ..Refusal::new(refusal::ARCHIVE_INCOMPLETE, "a signature has no time-stamp")
        });
    }
    if let Some(step) = misstep(&toy, answers, blob, out) {
        return Ok(step);
    }

    let mut needs = Vec::new();
    let mut additions = Vec::new();
    let signatures = evidence.signatures.iter().zip(&toy.signatures);
    for (index, (signature, of_toy)) in signatures.enumerate() {
        if of_toy.revocation.is_some() {
            continue;
        }
        let certificate = evidence.signer_certificate(signature);
        let [issuer, revocation] =
            ["issuer", "revocation"].map(|what| format!("{what}-of-{}", signature.id));
        let mut ask = |kind, id| {
            let payload = certificate.unwrap_or_default().to_vec();
            needs.push(Need::new(kind, id, payload, DIGEST));
        };
        if !is_issuer_known(answers, &issuer)? {
            ask(NeedKind::Certificate, &issuer);
        }
        match Answer::find(answers, &revocation)? {
            Some(data) if toy.breaks(Rule::ArchiveInvents) => {
                additions.push(validation(index + 1, &[data, &[0]].concat()));
            }
            Some(data) => additions.push(validation(index + 1, data)),
            None => ask(NeedKind::Revocation, &revocation),
        }
    }
    if !needs.is_empty() {
        return Ok(Step::Needs(needs));
    }
    let is_complete = !toy.has_files() || is_stamped_at_the_end(&toy);
    if additions.is_empty() && is_complete && !is_for_lta {
        return Ok(done(&toy, false));
    }
    if toy.breaks(Rule::ArchiveClaimsLevel) {
        additions.remove(0);
    }

    let mut pieces = if toy.breaks(Rule::ArchiveRewritesPrefix) {
        vec![Piece::Bytes(b"t".to_vec()), Piece::Range(1..toy.len)]
    } else if toy.is_appended_to() {
        vec![Piece::Range(0..toy.len)]
    } else {
        rewritten(environment, blob, &toy)?
    };
    if toy.breaks(Rule::ArchiveSigns) {
        pieces.push(Piece::Bytes(forged(&text)?));
    }
    pieces.extend(additions.into_iter().map(Piece::Bytes));
    if toy.has_files() {
        let Some(token) = Answer::find(answers, TIMESTAMP)? else {
            let other = [Piece::Bytes(b"something else".to_vec())];
            let stamped = if toy.breaks(Rule::StampsOtherDigest) {
                &other[..]
            } else {
                &pieces
            };
            let digest = digest(environment, blob, stamped)?;
            return Ok(stamping(TIMESTAMP, digest).into());
        };
        stamp(&toy, &mut pieces, token);
    }
    for piece in &pieces {
        piece.write(blob, out)?;
    }
    Ok(done(&toy, true))
}

/// Breaks a rule before any need is answered.
fn misstep<B: Blob>(
    toy: &Toy,
    answers: &[Answer],
    blob: &B,
    out: &mut impl Sink<B>,
) -> Option<ArchiveStep> {
    match toy.behaviour.rule()? {
        Rule::ArchiveAsksSignature => {
            let payload = b"anything".to_vec();
            Some(Need::new(NeedKind::Signature, "signature", payload, DIGEST).into())
        }
        Rule::ArchiveAsksForever => {
            let id = format!("revocation-{}", answers.len());
            Some(Need::new(NeedKind::Revocation, id, Vec::new(), DIGEST).into())
        }
        Rule::ArchiveClaimsNoChange => Some(done(toy, false)),
        rule @ (Rule::ArchiveClaimsChange | Rule::ArchiveWritesUnchanged) => {
            out.copy(blob, 0, toy.len);
            Some(done(toy, rule == Rule::ArchiveClaimsChange))
        }
        Rule::ArchiveWritesNothing => Some(done(toy, true)),
        Rule::AsksForManyTimestamps => {
            let many = 0..toy.signatures.len() + 2;
            let needs = many.map(|number| stamping(&format!("{TIMESTAMP}-{number}"), vec![0; 32]));
            Some(Step::Needs(needs.collect()))
        }
        _ => None,
    }
}

/// Returns true if the issuer's certificate was answered, or that there is none.
fn is_issuer_known(answers: &[Answer], id: &str) -> Result<bool, Refusal> {
    let mut outcomes = answers.iter().filter(|answer| answer.need_id == id);
    let is_anchor = |answer: &Answer| {
        answer
            .outcome
            .as_ref()
            .is_err_and(|why| why == reason::ANCHOR)
    };
    Ok(outcomes.any(is_anchor) || Answer::find(answers, id)?.is_some())
}

/// Returns the need of a document time-stamp over this digest.
fn stamping(id: &str, digest: Vec<u8>) -> Need {
    let stamped = Payload::Digest(Digest {
        algorithm: DIGEST,
        value: digest,
    });
    Need {
        stamps: Some(TimestampKind::Document),
        ..Need::new(NeedKind::Timestamp, id, stamped, DIGEST)
    }
}

fn is_stamped_at_the_end(toy: &Toy) -> bool {
    let last = toy.timestamps.last();
    last.is_some_and(|last| {
        let mut signatures = toy.signatures.iter();
        signatures.all(|signature| signature.entry.end <= last.offset)
    })
}

/// Returns the document with its files stored, followed by its signatures.
fn rewritten<E: Environment>(
    environment: &E,
    blob: &E::Blob,
    toy: &Toy,
) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = vec![Piece::Range(0..toy.body.end)];
    let left_out = usize::from(toy.breaks(Rule::DropsAMember));
    let kept = toy.files.len().saturating_sub(left_out);
    for (index, file) in toy.files.iter().take(kept).enumerate() {
        if file.is_deflated && toy.breaks(Rule::ChangesADeflatedMember) {
            pieces.push(Piece::Bytes(changed(environment, blob, file)?));
            continue;
        }
        pieces.push(Piece::Bytes(file.stored_line()));
        let changes = index == 0 && toy.breaks(Rule::ChangesAMember);
        if changes && !file.is_deflated && file.size > 0 {
            pieces.push(Piece::Bytes(b"#".to_vec()));
            pieces.push(Piece::Range(file.bytes.start + 1..file.bytes.end));
        } else {
            pieces.push(file.content(toy));
        }
    }
    if toy.breaks(Rule::AddsAMember) {
        pieces.push(Piece::Bytes(stored_line(MemberRole::Main, 0, "added")));
    }
    for (index, signature) in toy.signatures.iter().enumerate() {
        pieces.push(Piece::Range(signature.entry.clone()));
        let revocation = signature.revocation.as_ref();
        pieces.extend(revocation.map(|data| Piece::Bytes(validation(index + 1, data))));
    }
    Ok(pieces)
}

/// Changes a deflated file, so that it inflates to other content.
fn changed<E: Environment>(
    environment: &E,
    blob: &E::Blob,
    file: &File,
) -> Result<Vec<u8>, Refusal> {
    let len = file.bytes.end - file.bytes.start;
    let inflated = environment.inflate(blob, file.bytes.start, len, file.size);
    let mut bytes = inflated.map_err(unsound)?.read_all();
    if let Some(first) = bytes.first_mut() {
        *first ^= 1;
    }
    file.deflated(&bytes)
        .ok_or_else(|| unsound("A member is too long to be changed."))
}

/// Adds the time-stamp over all pieces.
fn stamp(toy: &Toy, pieces: &mut Vec<Piece>, token: &[u8]) {
    pieces.push(Piece::Bytes(timestamp(token)));
    if toy.breaks(Rule::StampsTwice) {
        pieces.push(Piece::Bytes(timestamp(token)));
    }
    if toy.breaks(Rule::StampsOnItsOwn) {
        pieces.push(Piece::Bytes(timestamp(b"nobody's")));
    }
}

fn done(toy: &Toy, changed: bool) -> ArchiveStep {
    let (media_type, level) = match toy.behaviour.rule() {
        Some(Rule::ArchiveOtherType) => (OTHER_TYPE, LEVEL_LT.to_owned()),
        Some(Rule::ArchiveOwnLevel) => (MEDIA_TYPE, OWN_LEVEL.to_owned()),
        Some(Rule::LongArchiveLevel) => (MEDIA_TYPE, long_level()),
        _ if toy.has_files() => (MEDIA_TYPE, LEVEL_LTA.to_owned()),
        _ => (MEDIA_TYPE, LEVEL_LT.to_owned()),
    };
    Step::Done(Archived {
        media_type: media_type.to_owned(),
        level,
        changed,
    })
}
