//! Types and their limits, in words.

use maud::{Markup, html};
use serde_json::Value;

use super::about::About;
use super::document::{items, members, schema_name, text};

/// The longest pattern that people are shown, in bytes.
const LONGEST_PATTERN: usize = 80;

/// Writes of types, with links to the schemas that they name.
pub(super) struct Types<'p, 'd> {
    about: &'p About,
    /// Schemas on the same page.
    here: &'p [&'d str],
}

impl<'p, 'd> Types<'p, 'd> {
    pub(super) fn new(about: &'p About, here: &'p [&'d str]) -> Self {
        Self { about, here }
    }

    /// The type of a value.
    pub(super) fn kind(&self, schema: &Value) -> Markup {
        if let Some(name) = schema_name(schema) {
            return self.link(name);
        }
        if let Some(constant) = schema.get("const") {
            return html! { "always " code { (plain(constant)) } };
        }
        if schema["enum"].is_array() {
            let values = items(&schema["enum"]).map(|value| html! { code { (plain(value)) } });
            return html! { "one of " (joined(values, ", ")) };
        }
        if let Some(alternatives) = alternatives(schema) {
            let kinds = alternatives.iter().map(|one| self.kind(one));
            return joined(kinds, " or ");
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        let kinds = kinds
            .into_iter()
            .map(|kind| self.simple(text(kind), schema));
        joined(kinds, " or ")
    }

    fn simple(&self, kind: &str, schema: &Value) -> Markup {
        match kind {
            "object" if schema["additionalProperties"].is_object() => {
                html! { "object of " (self.kind(&schema["additionalProperties"])) }
            }
            "array" => html! { "array of " (self.kind(&schema["items"])) },
            "string" if schema["format"] == "binary" => html! { "bytes" },
            "string" => {
                let form = schema["format"].as_str();
                let form = form.or_else(|| schema["contentEncoding"].as_str());
                html! { "string" @if let Some(form) = form { " (" (form) ")" } }
            }
            "" => html! { "anything" },
            other => html! { (other) },
        }
    }

    fn link(&self, name: &str) -> Markup {
        let address = match self.here.contains(&name) {
            true => format!("#{}", anchor(name)),
            false => self.about.schema(name),
        };
        html! { a href=(address) { (name) } }
    }
}

/// Anchor of a schema on a page.
pub(super) fn anchor(name: &str) -> String {
    format!("type-{name}")
}

/// Alternatives of a schema (`oneOf` or `anyOf`), if it has any.
pub(super) fn alternatives(schema: &Value) -> Option<&[Value]> {
    let alternatives = ["oneOf", "anyOf"].map(|keyword| schema[keyword].as_array());
    alternatives.into_iter().flatten().next().map(Vec::as_slice)
}

/// The schemas that a value refers to, in their order.
pub(super) fn references(value: &Value) -> Vec<&str> {
    if let Some(name) = schema_name(value) {
        return vec![name];
    }
    let within = members(value).map(|(_, member)| member);
    within.chain(items(value)).flat_map(references).collect()
}

/// A value without the quotes of a text.
pub(super) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn joined(parts: impl Iterator<Item = Markup>, between: &str) -> Markup {
    html! {
        @for (index, part) in parts.enumerate() {
            @if index > 0 { (between) }
            (part)
        }
    }
}

/// The limits of a value, each after a comma.
pub(super) fn limits(schema: &Value) -> Markup {
    html! { @for limit in limits_of(schema) { ", " (limit) } }
}

/// The limits of a value, and after them those of the items of a list.
fn limits_of(schema: &Value) -> Vec<Markup> {
    let ranges = [
        ("minLength", "maxLength", [" character", " characters"]),
        ("minimum", "maximum", [""; 2]),
        ("minItems", "maxItems", [" item", " items"]),
    ];
    let ranges = ranges.into_iter().filter_map(|(least, most, units)| {
        let range = range(schema.get(least), schema.get(most), units)?;
        Some(html! { (range) })
    });
    let mut limits: Vec<_> = ranges.collect();
    if schema["uniqueItems"] == true {
        limits.push(html! { "unique items" });
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        limits.push(match pattern.len() {
            ..=LONGEST_PATTERN => html! { "pattern: " code { (pattern) } },
            _ => html! { "pattern: see the OpenAPI description" },
        });
    }
    if schema["readOnly"] == true {
        limits.push(html! { "read-only" });
    }
    if let Some(value) = items(&schema["examples"]).next() {
        limits.push(html! { "example: " code { (plain(value)) } });
    }
    let of_items = schema.get("items").filter(|item| is_limited(item));
    if let Some(item) = of_items {
        limits.push(html! { "each item: " (joined(limits_of(item).into_iter(), ", ")) });
    }
    limits
}

/// A range in words; the unit is in the singular after 1.
fn range(least: Option<&Value>, most: Option<&Value>, units: [&str; 2]) -> Option<String> {
    let (range, last) = match (least, most) {
        (Some(least), Some(most)) if least == most => (format!("exactly {least}"), least),
        (Some(least), Some(most)) => (format!("{least} to {most}"), most),
        (Some(least), None) => (format!("at least {least}"), least),
        (None, Some(most)) => (format!("at most {most}"), most),
        (None, None) => return None,
    };
    let [one, several] = units;
    let unit = if last.as_u64() == Some(1) {
        one
    } else {
        several
    };
    Some(range + unit)
}

fn is_limited(schema: &Value) -> bool {
    let limits = ["minLength", "maxLength", "minimum", "maximum", "pattern"];
    limits.iter().any(|limit| schema.get(limit).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(schema: &Value) -> String {
        let about = About {
            folder: "/dd",
            title: "",
            demo_key: "",
            problems: Vec::new(),
        };
        let types = Types::new(&about, &["Money"]);
        format!(
            "{}{}",
            types.kind(schema).into_string(),
            limits(schema).into_string()
        )
    }

    #[test]
    fn a_type_has_its_form_and_limits() {
        for (schema, told) in [
            (json!({"type": "string", "format": "uuid"}), "string (uuid)"),
            (
                json!({"type": ["string", "null"], "maxLength": 255, "pattern": "^<$"}),
                "string or null, at most 255 characters, pattern: <code>^&lt;$</code>",
            ),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 100}),
                "integer, 1 to 100",
            ),
            (
                json!({"type": "string", "const": "ok"}),
                "always <code>ok</code>",
            ),
            (
                json!({"type": "string", "minLength": 1, "maxLength": 1, "readOnly": true, "examples": ["x"]}),
                "string, exactly 1 character, read-only, example: <code>x</code>",
            ),
            (
                json!({"enum": ["a", "b"]}),
                "one of <code>a</code>, <code>b</code>",
            ),
            (
                json!({"type": "array", "items": {"type": "string", "maxLength": 2}, "minItems": 1, "uniqueItems": true}),
                "array of string, at least 1 item, unique items, each item: at most 2 characters",
            ),
        ] {
            assert_eq!(words(&schema), told);
        }
    }

    #[test]
    fn a_named_schema_is_linked_to_where_it_stands() {
        let reference = |name| json!({"$ref": format!("#/components/schemas/{name}")});

        let or_null = json!({"anyOf": [reference("Money"), {"type": "null"}]});

        assert_eq!(words(&or_null), "<a href=\"#type-Money\">Money</a> or null");
        assert_eq!(
            words(&reference("Percent")),
            "<a href=\"/dd/docs/reference/schemas/Percent\">Percent</a>"
        );
    }
}
