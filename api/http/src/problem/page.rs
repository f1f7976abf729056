//! The page of a problem type.

use maud::{Markup, html};

use super::ProblemType;
use crate::pages::for_developers;

/// Meaning and remedy of a problem.
pub(crate) fn page(kind: ProblemType) -> Markup {
    for_developers(
        kind.title,
        kind.meaning,
        &html! {
            main #main tabindex="-1" {
                section {
                    h1 { (kind.title) }
                    p { code { (kind.name) } " · HTTP " (kind.status.as_u16()) }
                    h2 { "What it means" }
                    p { (kind.meaning) }
                    h2 { "What to do" }
                    p { (kind.remedy) }
                    p { a href="/problems" { "All problems" } }
                }
            }
        },
    )
}
