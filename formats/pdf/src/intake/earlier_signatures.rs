//! Permissions of earlier signatures (ISO 32000-2, 12.8.2).

use parafa_format_core::{Note, Refusal};

use crate::signatures::{AccessPermission, ChangeDetector, SignatureDictionary};

/// Refuses a document if an earlier signature forbids signing or has defective
/// coverage.
pub(super) fn require_permission(
    detector: &ChangeDetector<'_, '_>,
    signatures: &[SignatureDictionary],
) -> Result<(), Refusal> {
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
        .filter(|signature| signature.permissions.access == AccessPermission::NoChanges)
        .collect();
    if !forbidding.is_empty() {
        let detail = "An earlier signature forbids every change, also further signatures.";
        return Err(refusal(
            "certified-no-changes",
            detail.into(),
            forbidding.into_iter(),
        ));
    }
    let last = signatures.len().saturating_sub(1);
    for (index, signature) in signatures.iter().enumerate() {
        // The later signer accepted the changes between two signatures, unless
        // the earlier one forbids them.
        if index < last && !signature.restricts() {
            continue;
        }
        let Ok(range) = signature.byte_range else {
            continue;
        };
        if let Some(change) = detector.unexplained_after(range.end, &signature.permissions)? {
            let whose = if index == last { "last" } else { "restricting" };
            let detail = format!("The document was changed after its {whose} signature: {change}");
            return Err(refusal(
                "modified-after-signing",
                detail,
                std::iter::once(signature),
            ));
        }
    }
    Ok(())
}

/// Returns the notes on earlier signatures.
pub(super) fn notes(signatures: &[SignatureDictionary]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut certifying = signatures.iter();
    let certifying = certifying.find(|signature| signature.certification.is_some());
    if let Some(signature) = certifying {
        let detail = match signature.permissions.access {
            AccessPermission::NoChanges => "The document is certified against every change.",
            _ => "The document is certified; further signatures are permitted.",
        };
        notes.push(Note::new("certified", detail));
    }
    if !signatures.is_empty() {
        notes.push(Note::new(
            "signed",
            format!("Signatures in the document: {}.", signatures.len()),
        ));
    }
    notes
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
