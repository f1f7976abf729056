//! The index of all problems.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::config::Neighbour;
use crate::pages::for_developers;
use crate::problem::ProblemType;

/// Every problem with its name, its status and what it means; APIs that share the
/// pages of their problems share a table.
pub(super) fn page(apis: &[Neighbour]) -> Markup {
    let groups = apis.chunk_by(|one, other| one.problem_folder == other.problem_folder);
    for_developers(
        "Problems",
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Problems" }
                    p {
                        "Whatever is refused is refused by one of these names. The page behind a "
                        "name says what to do; an answer says what was wrong this time."
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
    html! {
        section {
            h2 { (titles.join(", ")) }
            table {
                thead {
                    tr {
                        th { "Name" }
                        th { "Status" }
                        th { "Means" }
                        @if titles.len() > 1 { th { "Answered by" } }
                    }
                }
                tbody {
                    @for (kind, by) in by_status(apis) {
                        tr {
                            td { a href={ (folder) (kind.path()) } { code { (kind.name) } } }
                            td { (kind.status.as_u16()) }
                            td { (kind.meaning) }
                            @if titles.len() > 1 { td { (by.join(", ")) } }
                        }
                    }
                }
            }
        }
    }
}

/// Each problem once, with the APIs that answer it.
fn by_status(apis: &[Neighbour]) -> Vec<(ProblemType, Vec<&str>)> {
    let mut found = BTreeMap::new();
    for api in apis {
        for kind in &api.problems {
            let place = (kind.status.as_u16(), kind.name);
            let (_, by) = found.entry(place).or_insert((*kind, Vec::new()));
            by.push(api.title.as_str());
        }
    }
    found.into_values().collect()
}
