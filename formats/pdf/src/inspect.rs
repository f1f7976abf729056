use parafa_format_core::{Blob, Environment, Refusal, Report};

use crate::limits::Limits;
use crate::structure::PdfFile;

/// Reads a document strictly and tells what it is; the document may be signed
/// exactly when there is no refusal.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not taken.
pub fn inspect<E: Environment>(_environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let bytes = document.read_all();
    let file = PdfFile::parse(&bytes, &Limits::with_room_for_a_signature())?;
    crate::intake::examine(&file)
}
