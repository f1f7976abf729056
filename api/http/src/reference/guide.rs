//! The way from nothing to a first result, in commands that can be run as they
//! stand.

use maud::{Markup, html};

use crate::config::BaseUrl;
use crate::pages::english;

/// Commands for a shell, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// What it leads to.
    pub title: &'static str,
    /// What is needed, and what comes of it.
    pub introduction: &'static str,
    /// One after the other.
    pub steps: &'static [Step],
}

/// What is done at once.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What it does.
    pub title: &'static str,
    /// What there is to know.
    pub text: &'static str,
    /// For a shell; `{base}` stands for the service's address.
    pub command: &'static str,
}

/// The guide as a page.
pub(super) fn page(guide: &Guide, base_url: &BaseUrl) -> Markup {
    let base_url = base_url.to_string();
    english(guide.title).render(
        &html! { a href="/docs" { "Interfaces" } },
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { (guide.title) }
                    p { (guide.introduction) }
                }
                @for (number, step) in (1..).zip(guide.steps) {
                    section {
                        h2 { (number) ". " (step.title) }
                        p { (step.text) }
                        pre tabindex="0" { code { (step.command.replace("{base}", &base_url)) } }
                    }
                }
            }
        },
    )
}
