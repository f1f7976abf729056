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

/// Maximum number of places checked in a document.
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

/// Places in `len` bytes, the middle of equal parts; none in very few bytes.
fn spread(len: usize) -> impl Iterator<Item = usize> {
    let part = len / PLACES;
    let places = (0..PLACES).map(move |number| middle(number * part, part));
    places.filter(move |_| part > 0)
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
        return Ok(spread(given.len()).filter(|_| is_kept).collect());
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
