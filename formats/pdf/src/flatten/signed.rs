//! Refusal of signed documents: flattening would invalidate the signatures (ISO
//! 32000-2, 12.8).

use parafa_format_core::Refusal;

use super::failures::Failures;
use super::field::Fields;
use super::verdict::Reason;
use super::widget::AnnotatedPage;
use crate::structure::PdfFile;

/// Refuses a signed or certified document. Names the fields whose widgets show
/// signatures, in page order.
///
/// # Errors
/// `signed` for such a document, `form-tree` when the names of the fields are
/// too long.
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

/// Returns whether a signature restricts later changes (12.8.6).
fn is_certified(file: &PdfFile<'_>) -> Result<bool, Refusal> {
    let permissions = file.entry_dictionary(file.catalog()?, b"Perms");
    Ok(permissions.is_some_and(|permissions| file.entry(permissions, b"DocMDP").is_some()))
}
