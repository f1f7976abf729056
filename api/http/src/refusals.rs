//! Refusals of paths and of pages.

use crate::problem::{Problem, ProblemType};

/// Any unknown path. It is not repeated: it may be a link with a token.
pub(crate) async fn not_found() -> Problem {
    Problem::new(ProblemType::NOT_FOUND, "There is no such path here.")
}

/// A page with a method that it has not.
pub(crate) async fn page_method_not_allowed() -> Problem {
    Problem::of(ProblemType::METHOD_NOT_ALLOWED)
}
