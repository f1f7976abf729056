//! Raises the signatures of a document to PAdES-B-LT (ETSI EN 319 142-1, 6.3).
//! An incremental update adds a document security store with the certificates
//! of all chains and their revocation data. No existing byte changes, so the
//! next time-stamp (B-LTA) may follow at any time.
//!
//! The plan is a pure function of document, request and answers. Every call
//! makes it anew and asks for everything still missing.

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
/// Signatures of other profiles have no level; their validation material is
/// added too.
///
/// The step needs a `certificate` for every end of a chain that is not
/// self-signed. It needs `revocation` data for every certificate below an
/// anchor, unless the document contains it. Self-signed certificates end
/// chains. Their trust is asked for only if a time-stamp alone proves that a
/// signer signed before revocation. Nothing is written if the document is
/// complete already.
///
/// # Errors
/// `archive-incomplete` when material is unavailable, with one subject per
/// missing item; `archive-no-room` when it exceeds the limits;
/// `too-much-to-verify` when the chains exceed the work limits; `bad-request`
/// when the request cannot be used; the codes of `inspect` when the document
/// cannot be read.
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
        // No room is left, but there may be nothing to add.
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

/// Code of refusals by the limits that reserve room for objects.
const NO_ROOM_FOR_OBJECTS: &str = "too-many-objects";

/// Result of planning.
enum Work {
    Needs(Vec<Need>),
    /// The level reached, and the update to append, if any.
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

/// Returns the long-term level that `verify` will find, if any. Checks with the
/// work limits that remain after further signatures.
fn long_term_level<E: Environment>(
    environment: &E,
    limits: &Limits,
    signatures: &[CheckedSignature<'_>],
    store: &SecurityStore,
    additions: &Additions<'_>,
) -> Result<Option<BaselineLevel>, Refusal> {
    if !additions.is_empty() {
        // Additions are read last.
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
