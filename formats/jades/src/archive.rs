//! Raises a signature to JAdES-B-LT (ETSI TS 119 182-1, 6.3): appends
//! validation material to the unsigned header, so that no authority has to be
//! asked any more. Signed and time-stamped data stays unchanged.
//!
//! The plan is a pure function of document and answers. Every call makes it
//! anew and asks for everything still missing.

use parafa_ades::{
    Answers, Archiving, Budget, ChainLimits, Contents, Plan, Rules, Signature as _, Values,
    require_raisable, too_much_to_verify,
};
use parafa_format_core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, BaselineLevel, Environment, Need, Refusal, Sink,
    Step, refusal,
};

use crate::MEDIA_TYPE;
use crate::checked_signature::{CheckedSignature, level_name};
use crate::document::Document;
use crate::jws::Jws;
use crate::limits::DOCUMENT_BYTES;

/// Raises the signature of a document to JAdES-B-LT (ETSI TS 119 182-1, 6.3).
///
/// The step needs a `certificate` for every end of a chain that is not
/// self-signed. It needs `revocation` data for every certificate below an
/// anchor, unless the document contains it. Missing material becomes `xVals`
/// and `rVals`, the last components of `etsiU`. Nothing is written when the
/// document is complete already.
///
/// # Errors
/// `archive-incomplete` when there is no signature, or material is unavailable,
/// with one subject per missing item; `archive-no-room` when it exceeds the
/// limits; `too-much-to-verify` when the chains exceed the work limits;
/// `bad-request` when the request cannot be used; the codes of `inspect` when
/// the document cannot be read.
pub fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    Archiving::parse(request)?;
    let Document::Signed(jws) = Document::read(document)? else {
        return Err(incomplete(
            "The document has no signature that could be archived.",
        ));
    };
    let checked = CheckedSignature::check(environment, &jws)?;
    let values = match plan(environment, &checked, &Answers::new(answers))? {
        Step::Needs(needs) => return Ok(Step::Needs(needs)),
        Step::Done(values) => values,
    };
    let level = long_term_level(environment, &checked)?;
    let (level, changed) = match level {
        Some(level) if values.is_empty() => (level, false),
        _ => {
            let raised = jws.with_unsigned(&jws.unsigned.with_values(&values));
            let level = level_of(environment, &raised)?;
            out.write(&raised);
            (level, true)
        }
    };
    Ok(Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: level_name(Some(level)).to_owned(),
        changed,
    }))
}

/// Returns half of the work limits: verifying the output must not exceed them.
fn half_of_the_work() -> ChainLimits {
    let limits = ChainLimits::default();
    ChainLimits {
        signatures: limits.signatures / 2,
        digested_bytes: limits.digested_bytes / 2,
        ..limits
    }
}

/// Returns the material missing from the signature, or the needs to be answered
/// first.
fn plan<E: Environment>(
    environment: &E,
    checked: &CheckedSignature,
    answers: &Answers<'_>,
) -> Result<Step<Values>, Refusal> {
    let budget = Budget::new(environment, &half_of_the_work());
    let mut material = checked.material(&budget);
    answers.add_to(&mut material);
    let position = checked.position(&material, Rules::Complete);
    require_raisable([(checked.name(), &position)])?;
    if position.level.is_none() {
        return Err(incomplete(
            "The signature is not one of the JAdES baseline, which alone has levels.",
        ));
    }
    let mut plan = Plan::default();
    for contents in [&position.signer, &position.timestamps] {
        plan.add(&material, checked.name(), contents, answers);
    }
    if budget.is_exhausted() {
        return Err(too_much_to_verify());
    }
    let needs: Vec<Need> = plan.into_needs()?;
    if !needs.is_empty() {
        return Ok(Step::Needs(needs));
    }
    let mut values = Values::default();
    for contents in [&position.signer, &position.timestamps] {
        let others = Contents::default();
        values.add(&material, contents, &others, checked.has_values);
    }
    Ok(Step::Done(values))
}

/// Returns the level by the content of a signature, if it is a long-term one.
fn long_term_level<E: Environment>(
    environment: &E,
    checked: &CheckedSignature,
) -> Result<Option<BaselineLevel>, Refusal> {
    let budget = Budget::new(environment, &half_of_the_work());
    let material = checked.material(&budget);
    let position = checked.position(&material, Rules::Held);
    if budget.is_exhausted() {
        return Err(too_much_to_verify());
    }
    Ok(position.level.filter(|level| *level >= BaselineLevel::Lt))
}

/// Returns the level that `verify` will find in the output.
fn level_of<E: Environment>(environment: &E, raised: &[u8]) -> Result<BaselineLevel, Refusal> {
    if raised.len() as u64 > DOCUMENT_BYTES {
        return Err(Refusal::new(
            refusal::ARCHIVE_NO_ROOM,
            format!("A document may have {DOCUMENT_BYTES} bytes, and would have more."),
        ));
    }
    let checked = CheckedSignature::check(environment, &Jws::read(raised)?)?;
    long_term_level(environment, &checked)?
        .ok_or_else(|| incomplete("What the document holds does not let its signature be raised."))
}

fn incomplete(detail: &str) -> Refusal {
    Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail)
}
