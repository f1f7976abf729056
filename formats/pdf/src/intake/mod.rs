//! Which documents are taken for signing.

use parafa_format_core::{Refusal, Report};

use crate::structure::PdfFile;

/// Applies every intake rule to a parsed file: refuses, or reports what the
/// document is. The signer calls it before it appends anything.
pub(crate) fn examine(file: &PdfFile<'_>) -> Result<Report, Refusal> {
    Err(Refusal::new("not-a-pdf", format!("{} bytes", file.bytes().len())))
}
