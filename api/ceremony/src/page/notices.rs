//! Pages of one section, without scripts. If the language is unknown, the text is in Lithuanian,
//! with the English below it.

use std::fmt::Display;
use std::slice::from_ref;

use maud::{Markup, html};

use super::card_app::{named, where_to_get};
use super::plain;
use crate::card_app::CardApp;
use crate::closed::ClosedReason;
use crate::messages::Messages;
use crate::vocabulary::Language;

/// A sentence of the catalogue.
pub(crate) type Sentence = fn(&Messages) -> &'static str;

/// Page of an inactive link, with the reason if it is known.
pub(crate) fn dead_link(language: Option<Language>, reason: Option<ClosedReason>) -> Markup {
    match reason {
        Some(reason) => notice(
            language,
            |texts| reason.heading(texts),
            |texts| reason.explanation(texts),
        ),
        None => notice(
            language,
            |texts| texts.dead_link,
            |texts| texts.dead_link_explained,
        ),
    }
}

/// Page instead of one that failed.
pub(crate) fn trouble(language: Option<Language>) -> Markup {
    notice(
        language,
        |texts| texts.trouble,
        |texts| texts.trouble_explained,
    )
}

/// The page once a form has declined.
pub(crate) fn declined(language: Option<Language>) -> Markup {
    notice(
        language,
        |texts| texts.declined,
        |texts| texts.declined_explained,
    )
}

/// Page after a form that did not decline, with a link back.
pub(crate) fn not_declined(language: Option<Language>, token: &str, why: Sentence) -> Markup {
    let heading: Sentence = |texts| texts.not_declined;
    standalone(language, heading, |language| {
        let texts = Messages::of(language);
        html! {
            p.fault { (why(texts)) }
            a.button.secondary href={ "/c/" (token) "?lang=" (language.as_str()) } {
                (texts.back_to_page)
            }
        }
    })
}

/// Page shown by a browser at the URL meant for a card's app.
pub(crate) fn pairing(language: Option<Language>, code: &str, app: &CardApp) -> Markup {
    let heading = |texts: &Messages| named(texts.pair_page, app);
    standalone(language, heading, |language| {
        let texts = Messages::of(language);
        html! {
            @if code.is_empty() {
                p { (texts.pair_page_code_missing) }
            } @else {
                p { (named(texts.pair_page_explained, app)) }
                p.code-label { (texts.pairing_code) }
                p.code.pairing { (code) }
                p.hint { (texts.pair_page_code_until) }
            }
            (where_to_get(texts, app))
            p { (texts.pair_page_way_back) }
        }
    })
}

fn notice(
    language: Option<Language>,
    heading: impl Fn(&Messages) -> &'static str,
    explanation: impl Fn(&Messages) -> &'static str,
) -> Markup {
    standalone(
        language,
        heading,
        |language| html! { p { (explanation(Messages::of(language))) } },
    )
}

/// A page of one section, in each language in which it is read.
fn standalone<S: Display>(
    language: Option<Language>,
    heading: impl Fn(&Messages) -> S,
    body: impl Fn(Language) -> Markup,
) -> Markup {
    let languages: &[Language] = match &language {
        Some(language) => from_ref(language),
        None => &[Language::Lt, Language::En],
    };
    let headings = languages
        .iter()
        .map(|language| heading(Messages::of(*language)).to_string());
    let title = headings.collect::<Vec<_>>().join(" / ");
    plain(languages[0], &title).render(
        &Markup::default(),
        &html! {
            main #main tabindex="-1" {
                @for language in languages {
                    section.request lang=(language.as_str()) {
                        h1 { (heading(Messages::of(*language)).to_string()) }
                        (body(*language))
                    }
                }
            }
        },
    )
}
