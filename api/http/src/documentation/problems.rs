//! The index of all problems.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::config::Neighbour;
use crate::pages::for_developers;

/// Every problem with its name, its status and its meaning; APIs that share the pages of their
/// problems share a table.
pub(super) fn page(apis: &[Neighbour]) -> Markup {
    let groups = apis.chunk_by(|one, other| one.problem_folder == other.problem_folder);
    for_developers(
        "Problems",
        "Every error of the Parafa APIs, with its status, its meaning and its remedy.",
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Problems" }
                    p {
                        "Every refused request gets one of these problems. Its page says what to "
                        "do; the response says what was wrong with this request."
                    }
                }
                @for group in groups { (table(group)) }
            }
        },
    )
}

fn table(apis: &[Neighbour]) -> Markup {
    let titles: Vec<_> = apis.iter().map(|api| api.title.as_str()).collect();
    let folder = apis.first().map_or("", |api| api.problem_folder);
    // A problem of several APIs is listed once, in the first API's words.
    let problems = apis.iter().rev().flat_map(|api| &api.problems);
    let problems = problems.map(|kind| ((kind.status.as_u16(), kind.name), kind));
    let problems: BTreeMap<_, _> = problems.collect();
    html! {
        section {
            h2 { (titles.join(", ")) }
            table {
                thead { tr { @for head in ["Name", "Status", "Meaning"] { th scope="col" { (head) } } } }
                tbody {
                    @for ((status, name), kind) in &problems {
                        tr {
                            td { a href={ (folder) (kind.path()) } { code { (name) } } }
                            td { (status) }
                            td { (kind.meaning) }
                        }
                    }
                }
            }
        }
    }
}
