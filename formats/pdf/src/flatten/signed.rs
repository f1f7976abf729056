//! Documents that are signed: flattening would break the signatures
//! (ISO 32000-2, 12.8).

use parafa_format_core::Refusal;

use super::failures::Failures;
use super::field::Fields;
use super::verdict::Reason;
use super::widget::AnnotatedPage;
use crate::structure::PdfFile;

/// Refuses a document that is signed or certified, and names the fields whose
/// widgets show signatures, in the order of the pages.
///
/// # Errors
/// `signed` when it is, `form-tree` when the names of the fields are too long.
pub(super) fn refuse_signed<'f>(
    file: &'f PdfFile<'_>,
    fields: &mut Fields<'f, '_>,
    pages: &[AnnotatedPage<'f>],
) -> Result<(), Refusal> {
    let mut signed = Failures::new(file);
    for page in pages {
        for annotation in page.annotations.iter().filter(|one| one.goes_with_form()) {
            if fields.of_widget(annotation).is_signed(file) {
                signed.add(fields, page.number, annotation, Reason::Signed)?;
            }
        }
    }
    let subjects = signed.into_subjects();
    if subjects.is_empty() && !fields.has_signature() && !is_certified(file)? {
        return Ok(());
    }
    Err(Refusal {
        subjects,
        ..Refusal::new(
            "signed",
            "The document is signed, and flattening would break the signature.",
        )
    })
}

/// Whether a signature says what may be changed after it (12.8.6).
fn is_certified(file: &PdfFile<'_>) -> Result<bool, Refusal> {
    let permissions = file.entry_dictionary(file.catalog()?, b"Perms");
    Ok(permissions.is_some_and(|permissions| file.entry(permissions, b"DocMDP").is_some()))
}
