use parafa_format_core::{Environment, Integrity, Note, Refusal, Report, note};

use crate::intake::examine;
use crate::limits::Limits;
use crate::page_content::refuse_bombs;
use crate::structure::with_structure;
use crate::verify::CheckedSignature;

/// Maximum number of signatures listed by name.
const MOST_NAMED: usize = 10;

/// Reads a document strictly and reports its properties. It may be signed
/// exactly when there is no refusal.
///
/// # Errors
/// A refusal with a code of the catalogue when the document is not accepted.
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
        let told = |code, detail, is_told: fn(Integrity) -> bool| {
            let names = checked
                .iter()
                .filter(|one| is_told(one.integrity))
                .map(named);
            told(code, detail, &names.collect::<Vec<_>>())
        };
        report
            .notes
            .extend(told(note::SIGNATURE_BROKEN, BROKEN, |integrity| {
                !matches!(integrity, Integrity::Intact | Integrity::Unsupported)
            }));
        report.notes.extend(told(
            note::SIGNATURE_UNSUPPORTED,
            UNSUPPORTED,
            |integrity| integrity == Integrity::Unsupported,
        ));
        Ok(report)
    })
}

const BROKEN: &str = "Signatures in the document that are not intact";
const UNSUPPORTED: &str =
    "Signatures in the document that cannot be checked, because an algorithm is not known here";

fn named(signature: &CheckedSignature<'_>) -> String {
    let name = &signature.dictionary.field_name;
    format!("{name:?} ({})", signature.integrity.name())
}

/// Returns a note on signatures not shown to be intact. They do not prevent
/// signing: the new signature covers the current content.
fn told(code: &'static str, detail: &str, signatures: &[String]) -> Option<Note> {
    let (named, others) = signatures.split_at(signatures.len().min(MOST_NAMED));
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {others} others"),
    };
    let detail = format!("{detail}: {}{others}.", named.join(", "));
    (!signatures.is_empty()).then(|| Note::new(code, detail))
}
