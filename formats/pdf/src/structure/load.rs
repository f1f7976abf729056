//! The second reader, `lopdf`, which loads the objects.
//!
//! Where its strict mode refuses what is ordinary, such as a comment in the first
//! line, it is asked to be lenient. What it may do on its own account is bounded
//! otherwise: it must not have repaired anything, and what it found must be what
//! is there.

use lopdf::xref::XrefEntry as LoadedEntry;
use lopdf::{DecompressError, Document, Error, LoadOptions, Object};
use parafa_format_core::Refusal;

use super::layout::Layout;
use super::scan::is_white_space;
use super::source::Source;
use super::xref::XrefEntry;
use crate::limits::Limits;

/// Loads the objects of a file up to its last `%%EOF`.
///
/// # Errors
/// Why a reader does not load the file as it is written.
pub(super) fn load(bytes: &[u8], layout: &Layout, limits: &Limits) -> Result<Document, Refusal> {
    let bytes = bytes.get(..layout.end).unwrap_or(bytes);
    let load = |strict| {
        let options = LoadOptions {
            max_decompressed_size: Some(limits.decoded_stream_bytes),
            strict,
            ..LoadOptions::default()
        };
        Document::load_mem_with_options(bytes, options)
    };
    let document = match load(true) {
        // An object that cannot be parsed would be taken from an older copy. Were
        // only files refused that have one, some could be signed but once: what is
        // written anew leaves a copy behind.
        Err(error) if layout.has_object_streams => Err(error),
        Err(_) if !layout.has_page_tree => {
            let detail = "The catalog does not lead to a page tree.";
            return Err(Refusal::new("page-tree", detail));
        }
        Err(_) => load(false),
        document => document,
    };
    let document = document.map_err(|error| load_refusal(&error))?;
    if document.xref_recovery.is_some() {
        return Err(Refusal::new(
            "xref-damaged",
            "The cross-reference does not lead to the objects.",
        ));
    }
    Ok(document)
}

/// Refuses a file of which other objects were loaded than there are. The data of
/// streams ends where their lengths say.
pub(super) fn require_agreement(
    document: &mut Document,
    layout: &Layout,
    source: Source<'_>,
) -> Result<(), Refusal> {
    let entries = document.reference_table.entries.iter();
    let loaded = entries.filter_map(|(number, entry)| Some((*number, place(entry)?)));
    let listed = layout.table.iter();
    let listed = listed.filter(|(_, entry)| **entry != XrefEntry::Free);
    if !listed
        .clone()
        .map(|(number, entry)| (*number, without_index(*entry)))
        .eq(loaded)
    {
        return Err(Refusal::new(
            "xref-ambiguous",
            "Readers differ over the cross-reference.",
        ));
    }
    for (number, entry) in listed {
        let generation = match entry {
            XrefEntry::InUse { generation, .. } => *generation,
            XrefEntry::Compressed { .. } | XrefEntry::Free => 0,
        };
        if !document.objects.contains_key(&(*number, generation)) {
            return Err(Refusal::new(
                "object-damaged",
                format!("The object {number} {generation} cannot be parsed."),
            ));
        }
    }
    for (id, len) in &layout.streams {
        let is_omitted = || {
            let mut omissions = source.omissions().iter();
            omissions.any(|omission| omission.object == id.0)
        };
        let data = match document.objects.get_mut(id) {
            Some(Object::Stream(stream)) => Some(&mut stream.content),
            _ => None,
        };
        // What is left of a length that does not lead to `endstream` at once.
        let data = data.filter(|data| {
            let rest = data.get(*len..);
            rest.map_or_else(is_omitted, |rest| {
                rest.iter().all(|byte| is_white_space(*byte))
            })
        });
        let data = data.ok_or_else(|| {
            let detail = format!(
                "Readers differ over the data of the stream {} {}.",
                id.0, id.1
            );
            Refusal::new("object-damaged", detail)
        })?;
        data.truncate(*len);
    }
    Ok(())
}

/// Where an object was loaded from, `None` when it is not in use.
fn place(entry: &LoadedEntry) -> Option<XrefEntry> {
    match *entry {
        LoadedEntry::Free | LoadedEntry::UnusableFree => None,
        LoadedEntry::Normal { offset, generation } => Some(XrefEntry::InUse {
            offset: usize::try_from(offset).ok()?,
            generation,
        }),
        LoadedEntry::Compressed { container, .. } => Some(XrefEntry::Compressed {
            container,
            index: 0,
        }),
    }
}

/// A place but for the index in an object stream, by which nothing was loaded.
fn without_index(entry: XrefEntry) -> XrefEntry {
    match entry {
        XrefEntry::Compressed { container, .. } => XrefEntry::Compressed {
            container,
            index: 0,
        },
        other => other,
    }
}

fn load_refusal(error: &Error) -> Refusal {
    let code = match error {
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => "decompression-bomb",
        Error::InvalidObjectStream(_) => "object-stream-damaged",
        Error::Xref(_) | Error::Parse(_) | Error::MissingXrefEntry | Error::ObjectIdMismatch => {
            "xref-damaged"
        }
        _ => "object-damaged",
    };
    Refusal::new(
        code,
        format!("Another reader cannot load the document: {error}."),
    )
}
