//! What earlier signatures allow (ISO 32000-2, 12.8.2).

use parafa_format_core::{Note, Refusal};

use crate::signatures::{NO_CHANGES, SignatureDictionary, unexplained_change};
use crate::structure::PdfFile;

/// Refuses what an earlier signature forbids or does not cover as it should.
pub(super) fn examine(
    file: &PdfFile<'_>,
    signatures: &[SignatureDictionary],
) -> Result<Vec<Note>, Refusal> {
    let mut notes = Vec::new();
    let uncovered: Vec<_> = signatures
        .iter()
        .filter_map(|signature| Some((signature, signature.byte_range.err()?)))
        .collect();
    if let Some((_, error)) = uncovered.first() {
        let detail = format!("An earlier signature does not cover what it should: {error}.");
        return Err(refusal(
            "signature-byterange",
            detail,
            uncovered.iter().map(|(signature, _)| *signature),
        ));
    }
    let forbidding: Vec<_> = signatures
        .iter()
        .filter(|signature| signature.doc_mdp == Some(NO_CHANGES) || signature.locks_document)
        .collect();
    if !forbidding.is_empty() {
        let detail = "An earlier signature forbids every change, also further signatures.";
        return Err(refusal(
            "certified-no-changes",
            detail.into(),
            forbidding.into_iter(),
        ));
    }
    if let Some(last) = signatures.last()
        && let Ok(range) = last.byte_range
        && let Some(change) = unexplained_change(file, range.end)?
    {
        let detail = format!("The document was changed after its last signature: {change}");
        return Err(refusal(
            "modified-after-signing",
            detail,
            std::iter::once(last),
        ));
    }
    if signatures
        .iter()
        .any(|signature| signature.doc_mdp.is_some())
    {
        notes.push(Note::new(
            "certified",
            "The document is certified; further signatures are permitted.",
        ));
    }
    if !signatures.is_empty() {
        notes.push(Note::new(
            "signed",
            format!("The document has {} signatures.", signatures.len()),
        ));
    }
    Ok(notes)
}

fn refusal<'s>(
    code: &'static str,
    detail: String,
    signatures: impl Iterator<Item = &'s SignatureDictionary>,
) -> Refusal {
    Refusal {
        subjects: signatures
            .map(|signature| signature.field_name.clone())
            .collect(),
        ..Refusal::new(code, detail)
    }
}
