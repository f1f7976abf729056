//! Checks that a signature covers what the plugin reports as covered.
//!
//! The host cannot know what a format puts under a digest, so this is the plugin's own statement.
//! Bits of the covered bytes are flipped, and the plugin must notice.

use std::fmt;

use bytes::{Bytes, BytesMut};
use memchr::memmem;
use parafa_plugin_host::{
    CallError, Capability, Document, Integrity, MemberRole, Plugin, SignedDocument,
};

/// Maximum number of places checked in a document, beside its last byte.
const PLACES: usize = 4;
const BIT: u8 = 1;

/// A flipped bit.
#[derive(Debug)]
pub(crate) struct Bit {
    /// Name of a file beside the document; `None` in the signed document itself.
    file: Option<String>,
    /// Index of the byte.
    place: usize,
}

impl fmt::Display for Bit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bit {}.0", self.place)?;
        match &self.file {
            Some(file) => write!(f, " of {file}"),
            None => Ok(()),
        }
    }
}

/// A flipped bit after which the plugin still reports the signature as intact, if there is one.
/// `given` is the document before it was signed.
///
/// # Errors
/// A fault of the plugin on the changed document.
pub(crate) async fn uncovered(
    plugin: &Plugin,
    given: &Bytes,
    signed: &SignedDocument,
) -> Result<Option<Bit>, CallError> {
    let beside = signed.document.companions();
    let id = &signed.outcome.signature_id;
    for place in covered_places(plugin, given, &signed.document).await? {
        let changed = Document::from(flipped(&signed.bytes, place));
        if is_intact(plugin, changed.with_companions(beside.to_vec()), id).await? {
            return Ok(Some(Bit { file: None, place }));
        }
    }
    for (index, file) in beside.iter().enumerate() {
        for place in spread(file.content.bytes().len()) {
            let mut beside = beside.to_vec();
            beside[index].content = flipped(file.content.bytes(), place).into();
            let changed = Document::from(signed.bytes.clone()).with_companions(beside);
            if is_intact(plugin, changed, id).await? {
                let file = Some(file.name.clone());
                return Ok(Some(Bit { file, place }));
            }
        }
    }
    Ok(None)
}

/// The bytes with the bit at a place flipped.
fn flipped(bytes: &Bytes, place: usize) -> Bytes {
    let mut changed = BytesMut::from(&bytes[..]);
    changed[place] ^= BIT;
    changed.freeze()
}

/// Places in `len` bytes, in order: the middle of equal parts, and the last byte.
fn spread(len: usize) -> Vec<usize> {
    let part = (len / PLACES).max(1);
    let middles = (0..PLACES.min(len)).map(|number| middle(number * part, part));
    let mut places: Vec<_> = middles.chain(len.checked_sub(1)).collect();
    places.dedup();
    places
}

fn middle(start: usize, len: usize) -> usize {
    start + len / 2
}

/// Places in the signed document that are certainly covered. In a format with members: one in each
/// member that is stored unchanged. In others: those of the given document, if the output begins
/// with it.
async fn covered_places(
    plugin: &Plugin,
    given: &Bytes,
    signed: &Document,
) -> Result<Vec<usize>, CallError> {
    if !plugin.capabilities().contains(&Capability::Contents) {
        let is_kept = signed.bytes().starts_with(given);
        return Ok(spread(if is_kept { given.len() } else { 0 }));
    }
    let members = plugin.members(signed.clone()).await?;
    let files = members
        .iter()
        .filter(|member| member.role != MemberRole::Metadata && member.size > 0);
    let mut places = Vec::new();
    for file in files.take(PLACES) {
        let bytes = plugin.extract(signed.clone(), &file.id).await?;
        let mut found = memmem::find_iter(signed.bytes(), &bytes);
        if let (Some(start), None) = (found.next(), found.next()) {
            places.push(middle(start, bytes.len()));
        }
    }
    Ok(places)
}

/// Returns true if the plugin still reports the signature as intact.
async fn is_intact(plugin: &Plugin, document: Document, id: &str) -> Result<bool, CallError> {
    match plugin.verify(document).await {
        Ok(evidence) => Ok(evidence
            .signatures
            .iter()
            .any(|signature| signature.id == id && signature.integrity == Integrity::Intact)),
        Err(CallError::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_flipped_in_every_byte_of_few_and_in_the_last_of_many() {
        assert!(spread(0).is_empty());
        assert_eq!(spread(1), [0]);
        assert_eq!(spread(3), [0, 1, 2]);
        assert_eq!(spread(8), [1, 3, 5, 7]);
        assert_eq!(spread(100), [12, 37, 62, 87, 99]);
    }
}
