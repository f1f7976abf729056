//! A call in programs, with the examples of the description. Values that differ between callers are
//! in environment variables.

mod curl;
mod python;
mod request;
mod typescript;

use maud::{Markup, html};

use self::request::{BASE, Credentials, KEY, Request, in_capitals};
use super::document::{Call, Document, text};
use super::markdown;
use crate::openapi::USUAL;

/// Samples of a call in three languages, and the environment variables that they read.
pub(super) fn of<'d>(document: &Document<'d>, call: &Call<'d>) -> Markup {
    let request = Request::of(document, call);
    let languages = [
        ("curl", curl::write(&request)),
        ("Python", python::write(&request)),
        ("TypeScript", typescript::write(&request)),
    ];
    html! {
        (environment(document, call, &request))
        @for (language, code) in languages {
            h3 { (language) }
            pre tabindex="0" { code { (code) } }
        }
    }
}

/// Environment variables of the samples.
fn environment<'d>(document: &Document<'d>, call: &Call<'d>, request: &Request<'d>) -> Markup {
    let base = text(&document.member("servers")[0]["url"]);
    let credentials = document.credentials(call);
    html! {
        p { "The samples read these environment variables:" }
        ul {
            li { code { (BASE) } ": the base URL of the service." }
            @if let (Some(sent), Some((_, scheme))) = (&request.credentials, credentials) {
                li {
                    code { (sent.variable()) } ": "
                    (markdown::inline(text(&scheme["description"])))
                    @if matches!(sent, Credentials::Basic(_)) { " Separate them by a colon." }
                }
            }
            @for parameter in &request.variables {
                @let name = text(&parameter["name"]);
                li {
                    code { (in_capitals(name)) } ": "
                    @if let Some(origin) = document.origin(call, name) {
                        "from the response of " a href=(document.about.call(origin.id)) { (origin.summary()) } "."
                    } @else {
                        (markdown::inline(text(&parameter["description"])))
                    }
                }
            }
        }
        p { "In a shell, in the folder where the demo was started:" }
        pre tabindex="0" { code {
            "export " (BASE) "=" (base)
            @if credentials.is_some_and(|(name, _)| name == USUAL) {
                "\nexport " (KEY) "=$(jq -r '" (document.about.demo_key) "' parafa-data/demo.json)"
            }
        } }
    }
}
