//! Named schemas of a description (JSON Schema, draft 2020-12, as used by OpenAPI 3.1).

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::unions;

/// Schemas that are referred to: those of requests, which their decoders
/// describe, and those of views, which they derive.
pub struct Schemas {
    requests: Map<String, Value>,
    views: SchemaGenerator,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12()
            .for_serialize()
            .with(|settings| settings.definitions_path = "/components/schemas".into());
        Self {
            requests: Map::new(),
            views: settings.into_generator(),
        }
    }

    /// A reference to the schema of a view, or the schema itself if it has no name.
    pub fn of<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.views.subschema_for::<T>().to_value();
        in_words_of_clients(&mut schema);
        unions::enumerate(&mut schema);
        schema
    }

    pub(crate) fn some_of<T: JsonSchema>(&mut self) -> Option<Value> {
        Some(self.of::<T>())
    }

    /// A reference to a schema by its name.
    #[must_use]
    pub(crate) fn reference(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// Begins the schema of a request; returns false if there is one already.
    pub(crate) fn begin(&mut self, name: &str) -> bool {
        let is_new = !self.requests.contains_key(name);
        if is_new {
            self.requests.insert(name.to_owned(), Value::Null);
        }
        is_new
    }

    pub(crate) fn define(&mut self, name: &str, schema: Value) {
        self.requests.insert(name.to_owned(), schema);
    }

    /// All schemas by name.
    pub(crate) fn into_components(mut self) -> Map<String, Value> {
        let mut views = Value::Object(self.views.take_definitions(false));
        in_words_of_clients(&mut views);
        let Value::Object(mut views) = views else {
            unreachable!("definitions are an object")
        };
        unions::rewrite(&mut views);
        for (name, view) in views {
            let request = self.requests.insert(name, view);
            assert!(
                request.is_none(),
                "a request is named like this one: {request:?}"
            );
        }
        self.requests
    }
}

/// Adapts a schema to client generators. Integer formats are those of the OpenAPI Format Registry,
/// members are optional instead of nullable, and descriptions lose the line breaks of comments.
fn in_words_of_clients(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let required = members.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                let is_required = |name: &str| {
                    let mut names = required.as_array().into_iter().flatten();
                    names.any(|required| required == name)
                };
                let optional = properties.iter_mut().filter(|(name, _)| !is_required(name));
                optional.for_each(|(_, schema)| without_null(schema));
            }
            if members.get("type") == Some(&"integer".into()) {
                match members.get("format").and_then(Value::as_str) {
                    Some("uint64") => members.insert("format".to_owned(), "int64".into()),
                    _ => members.shift_remove("format"),
                };
            }
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = unwrapped(description);
            }
            members.values_mut().for_each(in_words_of_clients);
        }
        Value::Array(items) => items.iter_mut().for_each(in_words_of_clients),
        _ => {}
    }
}

fn without_null(schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_slice() {
            let mut only = only.clone();
            members.shift_remove("anyOf");
            only.append(members);
            *members = only;
        }
    }
}

/// The text with each paragraph and list item on one line.
fn unwrapped(text: &str) -> String {
    let mut unwrapped = String::new();
    for line in text.trim().lines().map(str::trim) {
        let follows = !line.is_empty() && !line.starts_with("- ");
        match follows && !unwrapped.is_empty() && !unwrapped.ends_with('\n') {
            true => unwrapped.push(' '),
            false if !unwrapped.is_empty() => unwrapped.push('\n'),
            false => {}
        }
        unwrapped.push_str(line);
    }
    unwrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_becomes_paragraphs_and_lists() {
        assert_eq!(
            unwrapped(" One sentence\n that goes on.\n\n - `a`: first\n - `b`: second"),
            "One sentence that goes on.\n\n- `a`: first\n- `b`: second"
        );
    }
}
