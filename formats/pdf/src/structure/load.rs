//! The second reader, `lopdf`, which loads the objects.

use lopdf::{DecompressError, Document, Error, LoadOptions};
use parafa_format_core::Refusal;

use super::revision::Revision;
use crate::limits::Limits;

/// Loads the objects strictly.
///
/// # Errors
/// Why a strict reader does not load the file.
pub(super) fn load(bytes: &[u8], limits: &Limits) -> Result<Document, Refusal> {
    let options = LoadOptions {
        strict: true,
        max_decompressed_size: Some(limits.decoded_stream_bytes),
        ..LoadOptions::default()
    };
    let document =
        Document::load_mem_with_options(bytes, options).map_err(|error| load_refusal(&error))?;
    if document.xref_recovery.is_some() {
        return Err(Refusal::new(
            "xref-damaged",
            "The cross-reference does not lead to the objects.",
        ));
    }
    Ok(document)
}

/// Refuses a file of which not every live object was loaded.
pub(super) fn check_loaded(document: &Document, revision: &Revision<'_>) -> Result<(), Refusal> {
    for number in revision.newest_table().keys() {
        if let Some(generation) = revision.generation(*number)
            && !document.objects.contains_key(&(*number, generation))
        {
            return Err(Refusal::new(
                "object-damaged",
                format!("The object {number} {generation} cannot be parsed."),
            ));
        }
    }
    Ok(())
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
        format!("A strict reader cannot load the document: {error}."),
    )
}
