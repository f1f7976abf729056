//! Refusals with codes of `wit/CATALOGUE.md`.

use parafa_format_core::{Refusal, refusal};

/// A container that is not built as its format says, or whose signatures do not
/// hold; the subjects are members or signatures.
pub fn unsound(
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    about(refusal::CONTAINER_UNSOUND, detail, subjects)
}

/// A container that says that nothing may be added to it.
pub fn finalized(
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    about(refusal::CONTAINER_FINALIZED, detail, subjects)
}

/// A container that is of no kind that is taken here.
pub fn unsupported(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::UNSUPPORTED_CONTAINER, detail)
}

/// A request or an answer that cannot be used.
pub fn bad_request(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}

/// Signatures that take more work than is done.
#[must_use]
pub fn too_much_to_verify() -> Refusal {
    Refusal::new(
        refusal::TOO_MUCH_TO_VERIFY,
        "The signatures of the container, and what comes with them, take more work than is done for one document.",
    )
}

/// A refusal that concerns members, files or signatures.
pub fn about(
    code: &'static str,
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    Refusal {
        subjects: subjects.into_iter().map(Into::into).collect(),
        ..Refusal::new(code, detail)
    }
}
