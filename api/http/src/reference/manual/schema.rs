//! The page of a schema.

use maud::{Markup, html};
use serde_json::Value;

use super::document::{Document, text};
use super::types::{Types, references};
use super::{index, markdown, members};

/// A call, event or schema that names schemas.
pub(super) struct User<'d> {
    /// Entry with a link to its page.
    entry: Markup,
    schemas: Vec<&'d str>,
}

/// All users of schemas.
pub(super) fn users<'d>(document: &Document<'d>) -> Vec<User<'d>> {
    let calls = document.calls().into_iter().map(|call| User {
        entry: index::entry(document.about, &call),
        schemas: references(call.operation),
    });
    let schemas = document.schemas().map(|(name, schema)| User {
        entry: html! { a href=(document.about.schema(name)) { (name) } },
        schemas: references(schema),
    });
    calls.chain(schemas).collect()
}

/// Description of a schema, and where it is used.
pub(super) fn page<'d>(
    document: &Document<'d>,
    name: &str,
    schema: &'d Value,
    users: &[User<'_>],
) -> Markup {
    let below = members::below(document, &[schema]);
    let types = Types::new(document.about, &below);
    let users = users.iter().filter(|user| user.schemas.contains(&name));
    index::frame(
        document.about,
        name,
        markdown::first(text(&schema["description"])),
        &html! {
            section {
                h1 { (name) }
                (markdown::text(text(&schema["description"])))
                (members::body(document, &types, schema))
            }
            section {
                h2 { "Used in" }
                ul { @for user in users { li { (user.entry) } } }
            }
            (members::section(document, &types, &below))
        },
    )
}
