//! Members of an object, and the schemas described on one page.

use std::collections::VecDeque;

use maud::{Markup, html};
use serde_json::Value;

use super::document::{Document, items, members, text};
use super::types::{Types, alternatives, anchor, limits, references};
use super::{conditions, markdown};

/// Maximum number of members and values of schemas described on a call's page, to keep it light;
/// further schemas have pages of their own.
const MOST_BELOW: usize = 60;

/// A schema with all of its parts put together.
#[derive(Default)]
struct Shape<'d> {
    members: Vec<Member<'d>>,
    parts: Vec<&'d Value>,
}

/// A member of an object.
struct Member<'d> {
    name: &'d str,
    schema: &'d Value,
    is_required: bool,
}

impl<'d> Shape<'d> {
    fn of(document: &Document<'d>, schema: &'d Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema);
        shape
    }

    fn add(&mut self, document: &Document<'d>, schema: &'d Value) {
        let schema = document.resolved(schema);
        for (name, member) in members(&schema["properties"]) {
            self.members.push(Member {
                name,
                schema: member,
                is_required: false,
            });
        }
        for name in items(&schema["required"]) {
            let known = self.members.iter_mut().find(|known| *name == known.name);
            if let Some(known) = known {
                known.is_required = true;
            }
        }
        self.parts.push(schema);
        for part in items(&schema["allOf"]) {
            self.add(document, part);
        }
    }

    /// Number of members and values described.
    fn weight(&self) -> usize {
        let values = self.parts.iter().map(|part| {
            let alternatives = alternatives(part).map_or(0, <[Value]>::len);
            items(&part["enum"]).count() + alternatives
        });
        1 + self.members.len() + values.sum::<usize>()
    }

    /// The schemas that it names.
    fn references(&self) -> Vec<&'d str> {
        let of_members = self
            .members
            .iter()
            .flat_map(|member| references(member.schema));
        let of_parts = self.parts.iter().filter_map(|part| alternatives(part));
        of_members
            .chain(of_parts.flatten().flat_map(references))
            .collect()
    }
}

/// Schemas referenced by others that one page has room for, nearest first.
pub(super) fn below<'d>(document: &Document<'d>, roots: &[&'d Value]) -> Vec<&'d str> {
    reached(document, roots, MOST_BELOW)
}

fn reached<'d>(document: &Document<'d>, roots: &[&'d Value], mut room: usize) -> Vec<&'d str> {
    let roots: Vec<_> = roots.iter().map(|root| Shape::of(document, root)).collect();
    let mut waiting: VecDeque<_> = roots.iter().flat_map(Shape::references).collect();
    let mut reached = Vec::new();
    while let Some(name) = waiting.pop_front() {
        let Some(schema) = document.schema(name).filter(|_| !reached.contains(&name)) else {
            continue;
        };
        let shape = Shape::of(document, schema);
        if let Some(rest) = room.checked_sub(shape.weight()) {
            room = rest;
            reached.push(name);
            waiting.extend(shape.references());
        }
    }
    reached
}

/// The names of all members that are to be found in and below some schemas, and the
/// values of enumerations.
pub(super) fn all_names<'d>(document: &Document<'d>, roots: &[&'d Value]) -> Vec<&'d str> {
    let below = reached(document, roots, usize::MAX).into_iter();
    let below = below.filter_map(|name| document.schema(name));
    let schemas = roots.iter().copied().chain(below);
    let mut all: Vec<_> = schemas.flat_map(|schema| names(document, schema)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The names of the members of one schema, and its values.
pub(super) fn names<'d>(document: &Document<'d>, schema: &'d Value) -> Vec<&'d str> {
    let shape = Shape::of(document, schema);
    let members = shape.members.iter().map(|member| member.name);
    let values = shape.parts.iter().flat_map(|part| items(&part["enum"]));
    members.chain(values.map(text)).collect()
}

/// Description of a schema, except its purpose.
pub(super) fn body<'d>(
    document: &Document<'d>,
    types: &Types<'_, 'd>,
    schema: &'d Value,
) -> Markup {
    let shape = Shape::of(document, schema);
    let is_object = !shape.members.is_empty();
    html! {
        @for part in &shape.parts {
            @if let Some(alternatives) = alternatives(part) {
                (one_of(document, types, part, alternatives))
            } @else if !is_object && part.get("type").is_some() {
                p { (types.kind(part)) (limits(part)) }
            }
        }
        @if is_object {
            dl.members-of { @for member in &shape.members { (entry(document, types, member)) } }
        }
        @for part in &shape.parts {
            @for sentence in conditions::of(part) { p.hint { (sentence) } }
        }
    }
}

/// Section of referenced schemas on a page.
pub(super) fn section<'d>(
    document: &Document<'d>,
    types: &Types<'_, 'd>,
    below: &[&'d str],
) -> Markup {
    let schemas = below
        .iter()
        .filter_map(|name| Some((name, document.schema(name)?)));
    html! {
        @if !below.is_empty() {
            section {
                h2 { "Types" }
                @for (name, schema) in schemas {
                    h3 id=(anchor(name)) { (name) }
                    (markdown::text(text(&schema["description"])))
                    (body(document, types, schema))
                }
            }
        }
    }
}

fn one_of<'d>(
    document: &Document<'d>,
    types: &Types<'_, 'd>,
    schema: &'d Value,
    alternatives: &'d [Value],
) -> Markup {
    let tag = text(&schema["discriminator"]["propertyName"]);
    let value = |alternative: &Value| {
        let mut mapping = members(&schema["discriminator"]["mapping"]);
        let found = mapping.find(|(_, target)| **target == alternative["$ref"]);
        found.map(|(value, _)| value.to_owned())
    };
    html! {
        p { @if schema["oneOf"].is_array() { "Exactly one of:" } @else { "One of:" } }
        ul {
            @for alternative in alternatives {
                li {
                    (types.kind(alternative))
                    @if let Some(value) = value(alternative) {
                        ", where " code { (tag) } " is " code { (value) }
                    }
                    @if let Some(said) = alternative["description"].as_str() {
                        ": " (markdown::inline(said))
                    }
                    (within(document, types, alternative))
                }
            }
        }
    }
}

fn entry<'d>(document: &Document<'d>, types: &Types<'_, 'd>, member: &Member<'d>) -> Markup {
    let Member {
        name,
        schema,
        is_required,
    } = *member;
    html! {
        dt { code { (name) } }
        dd {
            p.hint {
                (types.kind(schema)) (limits(schema))
                @if is_required { ", " strong { "required" } }
            }
            (markdown::text(said(document, schema)))
            @if let Some(demand) = conditions::of_items(schema) { (demand) }
            (within(document, types, schema))
        }
    }
}

/// Description of a member: its own, or the first paragraph of its schema's.
fn said<'d>(document: &Document<'d>, schema: &'d Value) -> &'d str {
    schema["description"].as_str().unwrap_or_else(|| {
        let description = &document.resolved(schema)["description"];
        markdown::first(text(description))
    })
}

/// Members of an unnamed object, in place.
fn within<'d>(document: &Document<'d>, types: &Types<'_, 'd>, schema: &'d Value) -> Markup {
    let nameless = [schema, &schema["items"]];
    let nameless = nameless
        .into_iter()
        .filter(|one| one["properties"].is_object());
    html! { @for one in nameless { (body(document, types, one)) } }
}
