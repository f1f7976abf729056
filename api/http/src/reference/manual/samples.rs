//! A call as programs make it, with the examples of the description. What changes
//! from caller to caller stands in environment variables.

mod curl;
mod literal;
mod python;
mod request;
mod typescript;

use maud::{Markup, html};
use serde_json::Value;

use self::request::{BASE, Credentials, KEY, Request, in_capitals};
use super::document::{Call, Document, text};
use super::markdown;
use crate::openapi::USUAL;

/// The samples of a call in three languages, and what they read.
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

/// A value as JSON in several lines.
pub(super) fn pretty(value: &Value) -> String {
    literal::literal(value, literal::JSON, 0)
}

/// What has to be in the environment.
fn environment<'d>(document: &Document<'d>, call: &Call<'d>, request: &Request<'d>) -> Markup {
    let base = text(&document.member("servers")[0]["url"]);
    let scheme = document
        .credentials(call)
        .map(|name| document.security_scheme(name));
    let is_usual = document.credentials(call) == Some(USUAL);
    let parameters = document.parameters(call);
    let of_variable = |variable: &str| {
        let mut named = parameters.iter();
        named.find(|one| in_capitals(text(&one["name"])) == variable)
    };
    html! {
        p { "The samples run as they stand with these environment variables:" }
        ul {
            li { code { (BASE) } ": the address of the service." }
            @if let (Some(credentials), Some(scheme)) = (&request.credentials, scheme) {
                li {
                    code { (credentials.variable()) } ": "
                    (markdown::inline(text(&scheme["description"])))
                    @if matches!(credentials, Credentials::Basic(_)) { " A colon stands between them." }
                }
            }
            @for variable in request.variables() {
                @if let Some(parameter) = of_variable(variable) {
                    li {
                        code { (variable) } ": "
                        @if let Some(origin) = document.origin(call, text(&parameter["name"])) {
                            "as answered by " a href=(document.about.call(origin.id)) { (origin.summary()) } "."
                        } @else {
                            (markdown::inline(text(&parameter["description"])))
                        }
                    }
                }
            }
        }
        p { "Beside a demo, in a shell:" }
        pre tabindex="0" { code {
            "export " (BASE) "=" (base)
            @if is_usual { "\nexport " (KEY) "=$(jq -r '" (document.about.demo_key) "' demo/demo.json)" }
        } }
    }
}
