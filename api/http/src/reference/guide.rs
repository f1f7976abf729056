//! A guide from nothing to a first result, in commands that can be run unchanged.

use maud::{Markup, html};

use crate::config::BaseUrl;
use crate::pages::{for_developers, inline};

/// Commands for a shell, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Goal of the guide.
    pub title: &'static str,
    /// Prerequisites and result.
    pub introduction: &'static str,
    /// The steps in order.
    pub steps: &'static [Step],
}

/// One step of a guide.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Title of the step.
    pub title: &'static str,
    /// Explanation.
    pub text: &'static str,
    /// Shell commands; `{base}` is replaced by the service's URL.
    pub command: &'static str,
}

/// Installed components of one kind.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SetUp {
    /// Title.
    pub title: &'static str,
    /// Their names; empty if this is not possible here.
    pub names: Vec<String>,
}

/// The guide of the API whose pages are in `folder`.
pub(super) fn page(guide: &Guide, folder: &str, base_url: &BaseUrl, set_up: &[SetUp]) -> Markup {
    let base_url = base_url.to_string();
    for_developers(
        guide.title,
        guide.introduction,
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { (guide.title) }
                    p { (inline(guide.introduction)) }
                }
                @for (number, step) in (1..).zip(guide.steps) {
                    section {
                        h2 { (number) ". " (step.title) }
                        p { (inline(step.text)) }
                        @let command = step.command.trim_end().replace("{base}", &base_url);
                        pre tabindex="0" { code { (command) } }
                    }
                }
                @if !set_up.is_empty() {
                    section {
                        h2 { "Available on this server" }
                        table {
                            tbody {
                                @for SetUp { title, names } in set_up {
                                    tr {
                                        th scope="row" { (title) }
                                        td { @if names.is_empty() { "none" } @else { (names.join(", ")) } }
                                    }
                                }
                            }
                        }
                    }
                }
                section {
                    h2 { "Next steps" }
                    ul {
                        li { a href={ (folder) "/docs/reference" } { "API reference" } }
                        li { a href="/problems" { "Problems: what each error means" } }
                        li { a href="/docs/webhooks" { "Webhooks" } }
                    }
                }
            }
        },
    )
}
