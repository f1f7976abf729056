use parafa_format_core::{Environment, Refusal, Report};

use crate::intake::examine;
use crate::limits::Limits;
use crate::page_content::refuse_bombs;
use crate::structure::with_structure;

/// Reads a document strictly and tells what it is; the document may be signed
/// exactly when there is no refusal.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not taken.
pub fn inspect<E: Environment>(_environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let limits = Limits::with_room_for_a_signature();
    with_structure(document, &limits, |file| {
        let report = examine(file)?;
        refuse_bombs(file, document)?;
        Ok(report)
    })
}
