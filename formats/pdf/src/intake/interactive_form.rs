//! The interactive form (ISO 32000-2, 12.7).

use parafa_format_core::{Field, Refusal};

use crate::structure::{FieldKind, PdfFile};

/// The form's fields; refuses XFA, which draws pages that the PDF itself does
/// not show (ISO 32000-1, 12.7.8; removed from ISO 32000-2).
pub(super) fn fields(file: &PdfFile<'_>) -> Result<Vec<Field>, Refusal> {
    if let Some(form) = file.entry_dictionary(file.catalog()?, b"AcroForm")
        && file.entry(form, b"XFA").is_some()
    {
        return Err(Refusal::new("xfa", "The document is an XFA form."));
    }
    fields_even_of_xfa(file)
}

/// The form's fields, whatever else describes the form.
pub(super) fn fields_even_of_xfa(file: &PdfFile<'_>) -> Result<Vec<Field>, Refusal> {
    let fields = file
        .field_nodes()?
        .into_iter()
        .filter(|node| node.is_terminal_field);
    Ok(fields
        .map(|node| Field {
            name: node.name,
            kind: name(node.kind).into(),
        })
        .collect())
}

fn name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Button => "button",
        FieldKind::Choice => "choice",
        FieldKind::Signature => "signature",
        FieldKind::Text => "text",
        FieldKind::Unknown => "unknown",
    }
}
