//! Why a container takes no further signature.

use parafa_format_core::{Blob, Environment, Refusal, refusal};

use crate::container::Container;
use crate::files::is_media_type;
use crate::limits::Limits;
use crate::refusals::{finalized, unsound};
use crate::signatures::{Signature, places};

/// What signing would be refused for, in the order in which it matters: that
/// nothing may be added, that a signature does not hold, that there is no room.
#[must_use]
pub fn obstacle<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    sealed(container, signatures)
        .or_else(|| broken(signatures))
        .or_else(|| mistyped(container))
        .or_else(|| no_room(container, signatures))
}

/// What a container is refused for that is only countersigned.
#[must_use]
pub fn unsigned() -> Refusal {
    Refusal::new(
        refusal::CONTAINER_UNSIGNED,
        "The container has no signature; only one that is signed already takes a further one.",
    )
}

fn sealed<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    if !container.seals.is_empty() {
        let detail = "The container has a time-stamp, an archive manifest or an evidence record over all of it, behind which nothing can be added.";
        let seals = container.seals.clone();
        return Some(finalized(detail, seals));
    }
    let sealed: Vec<&String> = signatures
        .iter()
        .filter(|signature| signature.verified.is_sealed)
        .map(|signature| &signature.id)
        .collect();
    if sealed.is_empty() {
        return None;
    }
    let detail = "A signature is sealed by an evidence record, behind which nothing can be added.";
    Some(finalized(detail, sealed))
}

fn broken(signatures: &[Signature]) -> Option<Refusal> {
    let broken = || signatures.iter().filter(|signature| signature.is_unsound());
    let detail = match broken().next()? {
        Signature {
            change: Some(change),
            ..
        } => {
            format!("A signature of the container does not hold any more: {change}")
        }
        first => {
            let why = first.fault().unwrap_or_default();
            format!("A signature of the container does not hold: {why}.")
        }
    };
    Some(unsound(detail, broken().map(|signature| &signature.id)))
}

/// The types that the manifest tells are signed with the files.
fn mistyped<E: Environment>(container: &Container<'_, E>) -> Option<Refusal> {
    let files = container.files().iter();
    let mut mistyped = files
        .filter(|file| !is_media_type(&file.media_type))
        .map(|file| &file.name)
        .peekable();
    mistyped.peek()?;
    let detail = "The manifest says of files that they are of types that are no media types of visible ASCII.";
    Some(unsound(detail, mistyped))
}

/// A container that can be signed has to be taken again once it is.
fn no_room<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    const BYTES: u64 = Limits::NEW_SIGNATURE_BYTES;

    let limits = &container.limits;
    let sizes = |names: &[String]| -> u64 {
        let members = names.iter().filter_map(|name| container.member(name));
        members.map(|member| member.size).sum()
    };
    let entries = container.archive.entries();
    let inflated: u64 = entries.iter().map(|entry| entry.size).sum();
    let directory = container.document.len() - container.archive.directory_offset();
    let has_room = (entries.len() as u64) < limits.zip.entries
        && signatures.len() < limits.signatures
        && inflated + BYTES <= limits.zip.inflated_bytes
        && sizes(&container.signature_files) + BYTES <= limits.signature_bytes
        && directory + 1024 <= limits.zip.directory_bytes
        && places(signatures.iter().map(|signature| &signature.verified))
            + container.member_ids().count()
            + Limits::NEW_SIGNATURE_CERTIFICATES
            <= limits.evidence_places;
    (!has_room).then(|| {
        Refusal::new(
            refusal::DOCUMENT_TOO_LONG,
            "The container has no room for a further signature.",
        )
    })
}
