//! Refusals with codes of `wit/CATALOGUE.md`.

use parafa_format_core::{Refusal, refusal};

/// Returns the refusal of a container that violates its format, or has invalid
/// signatures; the subjects are members or signatures.
pub fn unsound(
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    about(refusal::CONTAINER_UNSOUND, detail, subjects)
}

/// Returns the refusal of a container that forbids additions.
pub fn finalized(
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    about(refusal::CONTAINER_FINALIZED, detail, subjects)
}

/// Returns the refusal of an unsupported kind of container.
pub fn unsupported(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::UNSUPPORTED_CONTAINER, detail)
}

/// Returns the refusal of an unusable request or answer.
pub fn bad_request(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}

/// Returns the refusal of signatures that exceed the work limits.
#[must_use]
pub fn too_much_to_verify() -> Refusal {
    Refusal::new(
        refusal::TOO_MUCH_TO_VERIFY,
        "The signatures of the container, and what comes with them, take more work than is done for one document.",
    )
}

/// Returns a refusal that concerns members, files or signatures.
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
