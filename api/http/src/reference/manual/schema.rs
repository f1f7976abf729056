//! The page of a schema.

use maud::{Markup, html};
use serde_json::Value;

use super::document::{Document, text};
use super::types::{Types, references};
use super::{index, markdown, members};

/// What it is, and where it is used.
pub(super) fn page<'d>(document: &Document<'d>, name: &str, schema: &'d Value) -> Markup {
    let below = members::below(document, &[schema]);
    let types = Types::new(document.about, &below);
    let calls = document.calls().into_iter();
    let calls = calls.filter(|call| {
        let mut named = document.schemas_of(call).into_iter();
        named.any(|schema| references(schema).contains(&name))
    });
    let users = document
        .schemas()
        .filter(|(_, user)| references(user).contains(&name));
    index::frame(
        document.about,
        name,
        &html! {
            section {
                h1 { (name) }
                (markdown::text(text(&schema["description"])))
                (members::body(document, &types, schema))
            }
            section {
                h2 { "Used in" }
                ul {
                    @for call in calls {
                        li { a href=(document.about.call(call.id)) { (call.summary()) } " " code { (call.line()) } }
                    }
                    @for (user, _) in users {
                        li { a href=(document.about.schema(user)) { (user) } }
                    }
                }
            }
            @if !below.is_empty() {
                section {
                    h2 { "Types" }
                    @for name in &below { (members::section(document, &types, name)) }
                }
            }
        },
    )
}
