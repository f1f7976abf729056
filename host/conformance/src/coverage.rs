//! Checks that a signature covers what the plugin reports as covered.
//!
//! The host cannot know what a format puts under a digest, so this is the plugin's own statement.
//! Bits of the covered bytes are flipped, and the plugin must notice.

use bytes::{Bytes, BytesMut};
use memchr::memmem;
use parafa_plugin_host::{CallError, Capability, Integrity, MemberRole, Plugin, SignedDocument};

/// Maximum number of places checked in a document.
const PLACES: usize = 4;
const BIT: u8 = 1;

/// Index of a flipped byte after which the plugin still reports the signature as intact, if there
/// is one. `given` is the document before it was signed.
///
/// # Errors
/// A fault of the plugin on the changed document.
pub(crate) async fn uncovered(
    plugin: &Plugin,
    given: &Bytes,
    signed: &SignedDocument,
) -> Result<Option<usize>, CallError> {
    for place in covered_places(plugin, given, &signed.bytes).await? {
        let mut changed = BytesMut::from(&signed.bytes[..]);
        changed[place] ^= BIT;
        if is_intact(plugin, changed.freeze(), &signed.outcome.signature_id).await? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Places in the signed document that are certainly covered. In a format with members: one in each
/// member that is stored unchanged. In others: those of the given document, if the output begins
/// with it.
async fn covered_places(
    plugin: &Plugin,
    given: &Bytes,
    signed: &Bytes,
) -> Result<Vec<usize>, CallError> {
    let middle = |start: usize, len: usize| start + len / 2;
    if !plugin.capabilities().contains(&Capability::Contents) {
        let part = given.len() / PLACES;
        let is_kept = signed.starts_with(given) && part > 0;
        let places = (0..PLACES).map(|number| middle(number * part, part));
        return Ok(places.filter(|_| is_kept).collect());
    }
    let members = plugin.members(signed.clone()).await?;
    let files = members
        .iter()
        .filter(|member| member.role != MemberRole::Metadata && member.size > 0);
    let mut places = Vec::new();
    for file in files.take(PLACES) {
        let bytes = plugin.extract(signed.clone(), &file.id).await?;
        let mut found = memmem::find_iter(signed, &bytes);
        if let (Some(start), None) = (found.next(), found.next()) {
            places.push(middle(start, bytes.len()));
        }
    }
    Ok(places)
}

/// Returns true if the plugin still reports the signature as intact.
async fn is_intact(plugin: &Plugin, document: Bytes, id: &str) -> Result<bool, CallError> {
    match plugin.verify(document).await {
        Ok(evidence) => Ok(evidence
            .signatures
            .iter()
            .any(|signature| signature.id == id && signature.integrity == Integrity::Intact)),
        Err(CallError::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}
