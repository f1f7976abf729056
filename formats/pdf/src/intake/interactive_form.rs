//! The interactive form (ISO 32000-2, 12.7).

use parafa_format_core::{Field, Note, Refusal};

use crate::signatures::is_prepared;
use crate::structure::{FieldKind, FieldNode, PdfFile};

/// Refuses XFA, which draws pages that the PDF itself does not show (ISO
/// 32000-1, 12.7.8; removed from ISO 32000-2).
pub(super) fn refuse_xfa(file: &PdfFile<'_>) -> Result<(), Refusal> {
    if let Some(form) = file.entry_dictionary(file.catalog()?, b"AcroForm")
        && file.entry(form, b"XFA").is_some()
    {
        return Err(Refusal::new("xfa", "The document is an XFA form."));
    }
    Ok(())
}

/// Returns the reported form fields.
pub(super) fn told(fields: &[FieldNode<'_>]) -> Vec<Field> {
    let fields = fields.iter().filter(|node| node.is_terminal_field);
    let fields = fields.map(|node| Field {
        name: node.name.clone(),
        kind: name(node.kind).into(),
    });
    fields.collect()
}

/// Returns a note on signatures that were prepared but not made.
pub(super) fn prepared(file: &PdfFile<'_>, fields: &[FieldNode<'_>]) -> Option<Note> {
    let prepared = fields.iter().filter(|node| is_prepared(file, node)).count();
    let detail = format!("Signature fields that were prepared and not signed: {prepared}.");
    (prepared > 0).then(|| Note::new("signature-prepared", detail))
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
