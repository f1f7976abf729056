//! Raises the signatures of a document to PAdES-B-LT (ETSI EN 319 142-1, 6.3):
//! an incremental update adds a document security store with the certificates
//! of all chains and what their issuers tell about them. No byte that was there
//! changes, so the next time-stamp (B-LTA) may follow at any time.
//!
//! The plan is a pure function of document, request and answers; every call
//! makes it anew, and asks for all that is missing then.

mod plan;
mod store_update;

use parafa_ades::{Answers, Archiving, Budget, Rules, ValidationMaterial, too_much_to_verify};
use parafa_format_core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, BaselineLevel, Blob, Environment, Need, Refusal,
    Sink, Step, refusal,
};

use crate::MEDIA_TYPE;
use crate::limits::Limits;
use crate::long_term::{SecurityStore, add_signatures, level_name, lowest_level, positions};
use crate::signatures::{self, ChangeDetector};
use crate::structure::{PdfFile, with_file};
use crate::verify::CheckedSignature;

use plan::Plan;
use store_update::Additions;

/// Raises every signature of a document to PAdES-B-LT (ETSI EN 319 142-1, 6.3).
/// Signatures of other profiles have no level; what it takes to verify them is
/// added in the same way.
///
/// The step needs a `certificate` for every end of a chain that does not sign
/// itself, and `revocation` data for every certificate below an anchor whose
/// revocation data the document does not hold. Certificates that sign themselves
/// end chains; whether they are trusted is asked only when a time-stamp alone
/// says that somebody signed before being revoked. Nothing is written when the
/// document holds all that already.
///
/// # Errors
/// `archive-incomplete` when something cannot be had, with one subject for
/// everything that is missing; `archive-no-room` when there is too much of it;
/// `too-much-to-verify` when the chains take more work than is done;
/// `bad-request` when the request cannot be used; a refusal with the codes of
/// `inspect` when the document cannot be read.
pub fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    let archiving = Archiving::parse(request)?;
    let answers = Answers::new(answers);
    let work_within = |limits: &Limits| {
        with_file(document, limits, |file| {
            work(environment, document, file, &archiving, &answers)
        })
    };
    let work = work_within(&Limits::with_room_for_an_archive()).or_else(|refusal| {
        if refusal.code != NO_ROOM_FOR_OBJECTS && refusal.code != refusal::TOO_MUCH_TO_VERIFY {
            return Err(refusal);
        }
        // There is no room left, but perhaps nothing to be added either.
        match work_within(&Limits::default())? {
            Work::Done(_, Some(_)) => Err(refusal),
            work => Ok(work),
        }
    });
    let (level, update) = match work? {
        Work::Needs(needs) => return Ok(Step::Needs(needs)),
        Work::Done(level, update) => (level, update),
    };
    if let Some(update) = &update {
        Limits::default().require_length(document.len() + update.len() as u64)?;
        out.copy(document, 0, document.len());
        out.write(update);
    }
    Ok(Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: level_name(Some(level)).to_owned(),
        changed: update.is_some(),
    }))
}

/// The code of refusals because of limits that leave room for objects.
const NO_ROOM_FOR_OBJECTS: &str = "too-many-objects";

/// What there is to do.
enum Work {
    /// To ask.
    Needs(Vec<Need>),
    /// To append this, if anything, for the signatures to have this level.
    Done(BaselineLevel, Option<Vec<u8>>),
}

fn work<E: Environment>(
    environment: &E,
    document: &E::Blob,
    file: &PdfFile<'_>,
    archiving: &Archiving,
    answers: &Answers<'_>,
) -> Result<Work, Refusal> {
    let fields = file.field_nodes()?;
    let found = signatures::find_in(file, &fields)?;
    let detector = ChangeDetector::new(file, fields)?;
    let checked = CheckedSignature::check_all(environment, document, file, &detector, &found)?;
    let store = SecurityStore::read(file);
    let budget = Budget::new(environment, &file.limits().chains);
    let mut material = ValidationMaterial::new(&budget);
    add_signatures(&mut material, &checked);
    store.add_to(&mut material);
    answers.add_to(&mut material);
    let plan = Plan::make(&material, &checked, answers)?;
    if !plan.needs.is_empty() {
        return Ok(Work::Needs(plan.needs));
    }
    let level_with = |additions: &Additions<'_>| {
        long_term_level(environment, file.limits(), &checked, &store, additions)
    };
    if plan.is_in_document(&material)
        && let Some(level) = level_with(&Additions::default())?
    {
        return Ok(Work::Done(level, None));
    }
    let additions = plan.additions(&material, file.limits())?;
    let level = level_with(&additions)?.ok_or_else(|| {
        let detail = "What the document holds does not let its signatures be raised.";
        Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail)
    })?;
    let update = additions.update(file, archiving)?;
    Ok(Work::Done(level, Some(update)))
}

/// The level that `verify` will find, if it is a long-term one, with no more work
/// than is left to it when others have signed afterwards.
fn long_term_level<E: Environment>(
    environment: &E,
    limits: &Limits,
    signatures: &[CheckedSignature<'_>],
    store: &SecurityStore,
    additions: &Additions<'_>,
) -> Result<Option<BaselineLevel>, Refusal> {
    if !additions.is_empty() {
        // What is added is read last.
        if store.is_cut_short {
            return Err(too_much_to_verify());
        }
        if store.bytes() + additions.bytes() > limits.security_store_bytes {
            return Err(plan::no_room(additions));
        }
    }
    let budget = Budget::new(environment, &limits.chains);
    let mut material = ValidationMaterial::new(&budget);
    add_signatures(&mut material, signatures);
    additions.add_with(store, &mut material);
    let has_store = store.is_present || !additions.is_empty();
    let positions = positions(&material, signatures, has_store, Rules::Held);
    if material.is_exhausted() {
        return Err(too_much_to_verify());
    }
    let level = lowest_level(&positions);
    Ok(level.filter(|level| *level >= BaselineLevel::Lt))
}
