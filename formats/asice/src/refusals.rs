//! Refusals with codes of `wit/CATALOGUE.md`.

use parafa_format_core::{Refusal, refusal};

/// A container that is not built as ASiC-E says, or whose signatures do not
/// hold; the subjects are members or signatures.
pub(crate) fn unsound(
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    about(refusal::CONTAINER_UNSOUND, detail, subjects)
}

/// A container that is of no kind that is taken here.
pub(crate) fn unsupported(detail: impl Into<String>) -> Refusal {
    Refusal::new("unsupported-container", detail)
}

/// A request or an answer that cannot be used.
pub(crate) fn bad_request(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}

pub(crate) fn too_much_to_verify() -> Refusal {
    Refusal::new(
        refusal::TOO_MUCH_TO_VERIFY,
        "The signatures of the container, and what comes with them, take more work than is done for one document.",
    )
}

pub(crate) fn about(
    code: &'static str,
    detail: impl Into<String>,
    subjects: impl IntoIterator<Item = impl Into<String>>,
) -> Refusal {
    Refusal {
        subjects: subjects.into_iter().map(Into::into).collect(),
        ..Refusal::new(code, detail)
    }
}
