use parafa_format_core::{Environment, Integrity, Note, Refusal, Report, note};

use crate::intake::examine;
use crate::limits::Limits;
use crate::page_content::refuse_bombs;
use crate::structure::with_structure;
use crate::verify::CheckedSignature;

/// Most broken signatures that are told by name.
const MOST_NAMED: usize = 10;

/// Reads a document strictly and tells what it is; the document may be signed
/// exactly when there is no refusal.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not taken.
pub fn inspect<E: Environment>(environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let limits = Limits::with_room_for_a_signature();
    with_structure(document, &limits, |file| {
        let found = examine(file)?;
        refuse_bombs(file, document)?;
        let checked = CheckedSignature::check_all(
            environment,
            document,
            file,
            &found.detector,
            &found.signatures,
        )?;
        let mut report = found.report;
        report.notes.extend(broken(&checked));
        Ok(report)
    })
}

/// Tells of signatures that are not intact. They keep nobody from signing what
/// the document says now, which the new signature is over.
fn broken(signatures: &[CheckedSignature<'_>]) -> Option<Note> {
    let broken: Vec<String> = signatures
        .iter()
        .filter(|signature| {
            !matches!(
                signature.integrity,
                Integrity::Intact | Integrity::Unsupported
            )
        })
        .map(|signature| {
            let name = &signature.dictionary.field_name;
            format!("{name:?} ({})", signature.integrity.name())
        })
        .collect();
    let (named, others) = broken.split_at(broken.len().min(MOST_NAMED));
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {others} others"),
    };
    let named = named.join(", ");
    let detail = format!("Signatures in the document that are not intact: {named}{others}.");
    (!broken.is_empty()).then(|| Note::new(note::SIGNATURE_BROKEN, detail))
}
