//! The page behind a problem's type.

use maud::{DOCTYPE, html};

use super::ProblemType;

/// What the problem means and what to do about it, as HTML.
pub(crate) fn page(kind: ProblemType) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (kind.title) }
            }
            body {
                main {
                    h1 { (kind.title) }
                    p { code { (kind.name) } " · HTTP " (kind.status.as_u16()) }
                    h2 { "What it means" }
                    p { (kind.meaning) }
                    h2 { "What to do" }
                    p { (kind.remedy) }
                }
            }
        }
    }
    .into_string()
}
