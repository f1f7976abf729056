//! Whether a signature covers what it is said to cover. That is the plugin's
//! own word: the host cannot know what a format puts under a digest. So bits of
//! what is covered are turned over, and the plugin has to notice.

use bytes::{Bytes, BytesMut};
use memchr::memmem;
use parafa_plugin_host::{CallError, Capability, Integrity, MemberRole, Plugin, SignedDocument};

/// Places of a document that are looked at, at most.
const PLACES: usize = 4;
const BIT: u8 = 1;

/// Where the plugin takes a signature for intact although what it covers was
/// changed, if anywhere. `given` is the document before it was signed.
///
/// # Errors
/// The fault of the plugin, as it looks at what was changed.
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

/// Places in the signed document that are certainly covered: of a format with
/// members one in each that stands there as it is, of others those of the
/// document that was given, where what was made begins with it.
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

/// Whether the plugin still says so of a signature.
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
