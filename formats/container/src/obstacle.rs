//! Obstacles to a further signature of a container.

use std::collections::{BTreeSet, HashSet};

use parafa_format_core::{Blob, Environment, Integrity, Refusal, refusal};

use crate::container::Container;
use crate::files::is_media_type;
use crate::limits::Limits;
use crate::refusals::{finalized, unsound};
use crate::signatures::{Signature, places};

/// Returns the refusal of signing, in order of importance: nothing may be
/// added, a signature is invalid or weak, no room is left.
#[must_use]
pub fn obstacle<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    sealed(container, signatures)
        .or_else(|| misnamed(container))
        .or_else(|| broken(signatures))
        .or_else(|| weak(signatures))
        .or_else(|| unchecked(container, signatures))
        .or_else(|| mistyped(container))
        .or_else(|| no_room(container, signatures))
}

/// Returns the refusal of an unsigned container where only countersigning is
/// allowed.
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

/// Refuses signatures that no other program finds (EN 319 162-1, 4.4.3.2).
fn misnamed<E: Environment>(container: &Container<'_, E>) -> Option<Refusal> {
    let misnamed = &container.misnamed_signature_files;
    let detail = "signature-file-name: the container has members that are named as signature files but for capital letters, so that other programs see no signature in them.";
    (!misnamed.is_empty()).then(|| unsound(detail, misnamed))
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

/// Refuses weak signatures: a further signer would be shown a signer whom the
/// signature alone does not prove.
fn weak(signatures: &[Signature]) -> Option<Refusal> {
    let mut weak = signatures
        .iter()
        .filter_map(|signature| Some((&signature.id, signature.verified.weakness.as_ref()?)))
        .peekable();
    let (_, weakness) = weak.peek()?;
    let detail = format!(
        "A signature of the container has {weakness}, and nobody signs beside such a one here."
    );
    Some(unsound(detail, weak.map(|(id, _)| id)))
}

/// Refuses signatures over files that may have changed since. Every signed file
/// must match a digest in some signature. A file covered only by an
/// unverifiable signature could be anyone's.
fn unchecked<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    if signatures.is_empty() {
        return None;
    }
    let digested = |of: Option<Integrity>| -> HashSet<_> {
        let verified = signatures.iter().map(|signature| &signature.verified);
        let verified = verified.filter(|verified| of.is_none_or(|of| verified.integrity == of));
        let covers = verified.flat_map(|verified| &verified.covers);
        covers.map(|it| (&it.member, it.part.as_ref())).collect()
    };
    let all = digested(None);
    let held = Some(digested(Some(Integrity::Intact))).filter(|held| !held.is_empty());
    let vouched = held.as_ref().unwrap_or(&all);
    let files = container.files().iter().filter(|file| !file.is_attached);
    let files = files.map(|file| &file.name);
    let files = files.filter(|name| !vouched.contains(&(*name, None)));
    let unchecked = signatures
        .iter()
        .flat_map(|signature| &signature.verified.unchecked);
    let unchecked = unchecked.filter(|it| !all.contains(&(&it.member, it.part.as_ref())));
    let missing: BTreeSet<_> = files.chain(unchecked.map(|it| &it.member)).collect();
    if missing.is_empty() {
        return None;
    }
    let detail = "The container has files over which no signature can be seen to hold, because algorithms of its signatures are not known here.";
    Some(unsound(detail, missing))
}

/// Refuses wrong media types: the types in the manifest are signed with the
/// files.
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

/// Refuses a container that would be rejected after signing.
fn no_room<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    let mut uses = uses(container, signatures).into_iter();
    let full = uses.find(|(_, used, new, most)| used + new > *most);
    let (what, used, new, most) = full?;
    let detail = format!(
        "The container has no room for a further signature: it has {used} of at most {most} {what}, and a signature needs room for {new}."
    );
    Some(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail))
}

/// Returns the number of further signatures that fit, all but one of usual
/// length.
pub(crate) fn room<E: Environment>(container: &Container<'_, E>, signatures: &[Signature]) -> u64 {
    let uses = uses(container, signatures).into_iter();
    let rooms = uses.map(|(_, used, new, most)| match most.checked_sub(used + new) {
        Some(left) => 1 + left / new.min(Limits::USUAL_SIGNATURE_BYTES),
        None => 0,
    });
    rooms.min().unwrap_or_default()
}

/// Returns the limited quantities: current amount, amount per signature, and
/// maximum.
fn uses<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> [(&'static str, u64, u64, u64); 6] {
    const BYTES: u64 = Limits::NEW_SIGNATURE_BYTES;

    let limits = &container.limits;
    let sizes = |names: &[String]| -> u64 {
        let members = names.iter().filter_map(|name| container.member(name));
        members.map(|member| member.size).sum()
    };
    let entries = container.archive.entries();
    let inflated: u64 = entries.iter().map(|entry| entry.size).sum();
    let directory = container.document.len() - container.archive.directory_offset();
    let named = places(signatures.iter().map(|signature| &signature.verified));
    let new_places = container.member_ids().count() + Limits::NEW_SIGNATURE_CERTIFICATES;
    [
        (
            "entries",
            entries.len() as u64,
            container.new_entries,
            limits.zip.entries,
        ),
        (
            "signatures",
            signatures.len() as u64,
            1,
            limits.signatures as u64,
        ),
        (
            "bytes in members",
            inflated,
            BYTES,
            limits.zip.inflated_bytes,
        ),
        (
            "bytes in signature files",
            sizes(&container.signature_files),
            BYTES,
            limits.signature_bytes,
        ),
        (
            "bytes in the archive's directory",
            directory,
            1024,
            limits.zip.directory_bytes,
        ),
        (
            "certificates, revocation data and files that signatures name",
            named as u64,
            new_places as u64,
            limits.evidence_places as u64,
        ),
    ]
}
