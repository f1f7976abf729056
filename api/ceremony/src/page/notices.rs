//! Pages of one section, which run no script.

use maud::{Markup, html};

use super::plain;
use crate::messages::Messages;
use crate::vocabulary::Language;

/// The page behind a link that is not active.
pub(crate) fn dead_link(language: Language) -> Markup {
    let texts = Messages::of(language);
    notice(language, texts.dead_link, texts.dead_link_explained)
}

/// The page in place of one that could not be made.
pub(crate) fn trouble(language: Language) -> Markup {
    let texts = Messages::of(language);
    notice(language, texts.trouble, texts.trouble_explained)
}

/// The page once a form has declined.
pub(crate) fn declined(language: Language) -> Markup {
    let texts = Messages::of(language);
    notice(language, texts.declined, texts.declined_explained)
}

/// The page where a form has not declined, and the way back to the link's page.
pub(crate) fn not_declined(language: Language, token: &str, why: &str) -> Markup {
    let texts = Messages::of(language);
    let back = format!("/c/{token}?lang={}", language.as_str());
    standalone(
        language,
        texts.not_declined,
        &html! {
            p.fault { (why) }
            a.button.secondary href=(back) { (texts.back_to_page) }
        },
    )
}

/// What a browser shows of the address that a card's app is to open.
pub(crate) fn pairing(language: Language, code: &str) -> Markup {
    let texts = Messages::of(language);
    standalone(
        language,
        texts.pair_page,
        &html! {
            @if code.is_empty() {
                p { (texts.pair_page_code_missing) }
            } @else {
                p { (texts.pair_page_explained) }
                p.code-label { (texts.pairing_code) }
                p.code.pairing { (code) }
            }
        },
    )
}

fn notice(language: Language, heading: &str, explanation: &str) -> Markup {
    standalone(language, heading, &html! { p { (explanation) } })
}

/// A page of one section that runs no script.
fn standalone(language: Language, heading: &str, body: &Markup) -> Markup {
    plain(language, heading).render(
        &Markup::default(),
        &html! {
            main #main tabindex="-1" {
                section.request {
                    h1 { (heading) }
                    (body)
                }
            }
        },
    )
}
