//! Physical structure of a file: cross-reference sections, objects and their
//! exact source bytes (ISO 32000-2, 7.5).
//!
//! Every listed object must be complete, at its listed offset, and within the
//! limits. Values are built once, from the validated tokens.

mod budget;
mod decode;
mod decoration;
mod dictionary;
mod file;
mod form;
mod header;
mod indirect;
mod layout;
mod links;
mod load;
mod object_source;
mod object_stream;
mod page_tree;
mod rebuild;
mod refusal;
mod revision;
mod scan;
mod scan_error;
mod source;
mod sparse_document;
mod text;
mod xref;

use parafa_format_core::{Blob, Refusal};

use crate::limits::Limits;

pub(crate) use decode::{DecodeError, Decoder};
pub(crate) use decoration::is_decorated;
pub(crate) use dictionary::{
    ArrayItems, RawDictionary, RawEntry, array_items, as_name, as_reference, as_string,
};
pub(crate) use file::PdfFile;
pub(crate) use form::{FieldKind, FieldNode};
pub(crate) use links::{Link, LinkKind, links};
pub(crate) use object_source::ObjectSource;
pub(crate) use revision::{RawObject, Revision};
pub(crate) use scan::{
    MAX_OBJECT_NUMBER, is_delimiter, is_white_space, reference_places, references, regular_len,
};
pub(crate) use scan_error::ScanError;
pub(crate) use text::{decode_name, same_value, text_string};
pub(crate) use xref::{XrefEntry, XrefForm};

use sparse_document::{SparseDocument, Unread};

/// Reads and parses a document and calls `work` on it. The data of long images
/// may be omitted.
pub(crate) fn with_file<B: Blob, T>(
    document: &B,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    with_excerpt(document, Unread::Images, limits, work)
}

/// Like `with_file`, for work that decodes no streams except the metadata and
/// the document security store. The data of all other long streams may be
/// omitted, which is most of a long document.
pub(crate) fn with_structure<B: Blob, T>(
    document: &B,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    with_excerpt(document, Unread::All, limits, work)
}

fn with_excerpt<B: Blob, T>(
    document: &B,
    unread: Unread,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    limits.require_length(document.len())?;
    let excerpt = SparseDocument::read(document, unread);
    match PdfFile::parse_source(excerpt.source(), limits) {
        // A refusal must be based on the whole file.
        Err(_) if !excerpt.is_whole() => {}
        file => return have_done(file?, work),
    }
    drop(excerpt);
    have_done(PdfFile::parse(&document.read_all(), limits)?, work)
}

/// Calls `work` on a file. In a plugin the file is not dropped afterwards: an
/// instance serves one call, and its memory is freed with it.
fn have_done<'a, T>(
    file: PdfFile<'a>,
    work: impl FnOnce(&PdfFile<'a>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let done = work(&file);
    if cfg!(target_family = "wasm") {
        std::mem::forget(file);
    }
    done
}
