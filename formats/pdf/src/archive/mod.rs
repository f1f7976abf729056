//! Raises the signatures of a document to PAdES-B-LT (ETSI EN 319 142-1, 6.3):
//! an incremental update adds a document security store with the certificates
//! of all chains and what their issuers tell about them. No byte that was there
//! changes, so the next time-stamp (B-LTA) may follow at any time.
//!
//! The plan is a pure function of document, request and answers; every call
//! makes it anew, and asks for all that is missing then.

mod answers;
mod plan;
mod request;
mod store_update;

use parafa_format_core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, Blob, Environment, Need, Refusal, Sink, Step,
};

use crate::MEDIA_TYPE;
use crate::limits::Limits;
use crate::long_term::{Level, Material, Rules, SecurityStore, Standing, standings};
use crate::signatures;
use crate::structure::{PdfFile, with_file};
use crate::verify::CheckedSignature;

use answers::Answers;
use plan::Plan;
use request::Archiving;

/// Raises every signature of a document to PAdES-B-LT (ETSI EN 319 142-1, 6.3).
///
/// The step needs a `certificate` for every issuer that is not at hand and
/// `revocation` data for every certificate below an anchor whose revocation data
/// the document does not hold; certificates that sign themselves are anchors.
/// Nothing is written when the document holds all that already.
///
/// # Errors
/// `archive-incomplete` when something cannot be had, with one subject for
/// everything that is missing; `bad-request` when the request cannot be used; a
/// refusal with the codes of `inspect` when the document cannot be read.
pub fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    let archiving = Archiving::parse(request)?;
    let answers = Answers::new(answers);
    let limits = Limits::with_room_for_an_archive();
    let work = with_file(document, &limits, |file| {
        work(environment, document, file, &archiving, &answers)
    })?;
    let (level, update) = match work {
        Work::Needs(needs) => return Ok(Step::Needs(needs)),
        Work::Done(level, update) => (level, update),
    };
    if let Some(update) = &update {
        out.copy(document, 0, document.len());
        out.write(update);
    }
    Ok(Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: level.name().to_owned(),
        changed: update.is_some(),
    }))
}

/// What there is to do.
enum Work {
    /// To ask.
    Needs(Vec<Need>),
    /// To append this, if anything, for the signatures to have this level.
    Done(Level, Option<Vec<u8>>),
}

fn work<E: Environment>(
    environment: &E,
    document: &E::Blob,
    file: &PdfFile<'_>,
    archiving: &Archiving,
    answers: &Answers<'_>,
) -> Result<Work, Refusal> {
    let found = signatures::find(file)?;
    let checked = CheckedSignature::check_all(environment, document, file, &found)?;
    let store = SecurityStore::read(file);
    if let Some(level) = level_held(environment, file, &checked, &store)
        && level >= Level::BaselineLt
    {
        return Ok(Work::Done(level, None));
    }
    let mut material = Material::new(environment, file.limits());
    material.add_document(&checked, &store);
    answers.add_to(&mut material);
    let plan = Plan::make(&material, &checked, answers)?;
    if !plan.needs.is_empty() {
        return Ok(Work::Needs(plan.needs));
    }
    let additions = plan.additions(&material, file.limits())?;
    let update = if additions.is_empty() {
        None
    } else {
        Some(additions.update(file, archiving)?)
    };
    Ok(Work::Done(plan.level, update))
}

/// The lowest level of the signatures by what the document holds; `None` when
/// there is none, or one that nothing could raise.
fn level_held<E: Environment>(
    environment: &E,
    file: &PdfFile<'_>,
    signatures: &[CheckedSignature<'_>],
    store: &SecurityStore,
) -> Option<Level> {
    let mut material = Material::new(environment, file.limits());
    material.add_document(signatures, store);
    let standings = standings(&material, signatures, store.is_present, Rules::Held);
    let standings = signatures
        .iter()
        .zip(standings)
        .filter(|(signature, _)| !signature.dictionary.is_document_timestamp)
        .map(|(_, standing)| standing);
    let standings: Vec<Standing> = standings.collect();
    if standings.iter().any(|standing| standing.obstacle.is_some()) {
        return None;
    }
    let levels = standings.iter().map(|standing| standing.level);
    levels.filter(|level| *level != Level::Unknown).min()
}
