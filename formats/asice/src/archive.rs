//! Raises the signatures of a container to XAdES-B-LT (ETSI EN 319 132-1, 6.3).
//! Signature files are rewritten with validation material; every other entry is
//! copied unchanged.

use parafa_ades::{Archiving, refuse};
use parafa_container::{Container, Signature, places, signatures};
use parafa_format_core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, Environment, Refusal, Sink, Step, refusal,
};
use parafa_xades::{Raised, SignatureFile};
use parafa_zip::{Content, Entry, Writer};

use crate::MEDIA_TYPE;

/// Raises every signature of a container to XAdES-B-LT.
///
/// The step has the needs of [`parafa_xades::archive`]. Nothing is written when
/// the signatures are complete already.
///
/// # Errors
/// `archive-incomplete` when material is unavailable or nothing can be added,
/// with one subject per missing item; `archive-no-room` when it exceeds the
/// limits; `too-much-to-verify` when the chains exceed the work limits;
/// `bad-request` when the request cannot be used; the codes of `inspect` when
/// the container cannot be read.
pub fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    Archiving::parse(request)?;
    let container = Container::read(environment, document, MEDIA_TYPE)?;
    // Only in the first call: later calls have the same container.
    if answers.is_empty() {
        require_unchanged(&signatures(&container)?)?;
    }
    let entries = container.signature_files.iter();
    let entries: Vec<&Entry> = entries.filter_map(|name| container.member(name)).collect();
    let contents: Vec<Vec<u8>> = entries
        .iter()
        .map(|entry| {
            let most = container.limits.xml.bytes as u64;
            entry.read(environment, document, most)
        })
        .collect::<Result<_, _>>()?;
    let files: Vec<SignatureFile<'_>> = entries
        .iter()
        .zip(&contents)
        .map(|(entry, bytes)| SignatureFile {
            name: &entry.name,
            bytes,
        })
        .collect();
    let raised = match parafa_xades::archive(environment, &container, &files, answers)? {
        Step::Needs(needs) => return Ok(Step::Needs(needs)),
        Step::Done(raised) => raised,
    };
    container.expect_inflatable()?;
    let changed = raised.files.iter().any(Option::is_some);
    if changed {
        require_unsealed(&container)?;
        require_room(&container, &raised, &contents)?;
        write(&container, &files, &raised, request.time, out)?;
    }
    Ok(Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: raised.level.to_owned(),
        changed,
    }))
}

/// Refuses a container that changed after its signatures, even if these are
/// valid by themselves.
fn require_unchanged(signatures: &[Signature]) -> Result<(), Refusal> {
    let changed = signatures.iter().filter_map(|signature| {
        let change = signature.change.as_ref()?.trim_end_matches('.');
        Some(format!("{}: it is not intact: {change}", signature.id))
    });
    refuse(changed.collect())
}

/// Refuses to change signature files covered by a time-stamp, an archive
/// manifest or an evidence record.
fn require_unsealed<E: Environment>(container: &Container<'_, E>) -> Result<(), Refusal> {
    let seals = container.seals.iter();
    let seals = seals
        .map(|seal| format!("{seal}: it is over the signatures, so that nothing can be added"));
    refuse(seals.collect())
}

/// Refuses to write a container that intake would reject.
fn require_room<E: Environment>(
    container: &Container<'_, E>,
    raised: &Raised,
    before: &[Vec<u8>],
) -> Result<(), Refusal> {
    let limits = &container.limits;
    let sizes = raised.files.iter().zip(before).map(|(after, before)| {
        let after = after.as_ref().map_or(before.len(), String::len);
        (before.len() as u64, after as u64)
    });
    let (before, after) = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
    let entries = container.archive.entries().iter();
    let inflated: u64 = entries.map(|entry| entry.size).sum();
    let has_room = after <= limits.signature_bytes
        && inflated - before + after <= limits.zip.inflated_bytes
        && places(&raised.signatures) <= limits.evidence_places;
    if has_room {
        return Ok(());
    }
    let detail = format!("Signatures with {after} bytes are more than a container may have.");
    Err(Refusal::new(refusal::ARCHIVE_NO_ROOM, detail))
}

fn write<E: Environment, S: Sink<E::Blob>>(
    container: &Container<'_, E>,
    files: &[SignatureFile<'_>],
    raised: &Raised,
    time: i64,
    out: &mut S,
) -> Result<(), Refusal> {
    let mut writer = Writer::new(out, time);
    for entry in container.archive.entries() {
        let mut written = files.iter().zip(&raised.files);
        match written.find(|(file, _)| file.name == entry.name) {
            Some((file, Some(text))) => writer.add(file.name, &Content::Bytes(text.as_bytes()))?,
            _ => writer.keep(container.document, entry)?,
        }
    }
    writer.finish(container.archive.comment())?;
    Ok(())
}
