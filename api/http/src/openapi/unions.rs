//! Unions in forms that client generators know: a choice of texts is an enumeration. The
//! alternatives of a tagged union have names and a discriminator (OpenAPI 3.1.1, 4.8.25).

use serde_json::{Map, Value, json};

use super::Schemas;

/// Rewrites the named schemas in these words.
pub(super) fn rewrite(schemas: &mut Map<String, Value>) {
    let mut named = Map::new();
    for (name, mut schema) in std::mem::take(schemas) {
        enumerate(&mut schema);
        let alternatives = name_alternatives(&name, &mut schema);
        named.insert(name, schema);
        for (name, alternative) in alternatives {
            let other = named.insert(name, alternative);
            assert!(other.is_none(), "an alternative is named like {other:?}");
        }
    }
    *schemas = named;
}

/// Turns a choice of texts into an enumeration, whose description lists the meanings.
pub(super) fn enumerate(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for keyword in ["oneOf", "anyOf"] {
                let choices = members.get(keyword).and_then(Value::as_array);
                let Some(values) = choices.and_then(|choices| texts(choices)) else {
                    continue;
                };
                members.shift_remove(keyword);
                describe(members, &values);
                let values = values.into_iter().map(|(value, _)| value);
                members.insert("type".to_owned(), "string".into());
                members.insert("enum".to_owned(), values.collect());
            }
            members.values_mut().for_each(enumerate);
        }
        Value::Array(items) => items.iter_mut().for_each(enumerate),
        _ => {}
    }
}

/// Every text of a choice with its description; `None` if there are alternatives other than texts.
fn texts(choices: &[Value]) -> Option<Vec<(Value, Option<String>)>> {
    let mut texts = Vec::new();
    for choice in choices {
        let several = choice["enum"].as_array().into_iter().flatten();
        let values: Vec<_> = several.chain(choice.get("const")).collect();
        if values.is_empty() || !values.iter().all(|value| value.is_string()) {
            return None;
        }
        let said = choice["description"].as_str();
        let values = values.into_iter();
        texts.extend(values.map(|value| (value.clone(), said.map(str::to_owned))));
    }
    Some(texts)
}

fn describe(members: &mut Map<String, Value>, values: &[(Value, Option<String>)]) {
    let lines: String = values
        .iter()
        .filter_map(|(value, said)| Some(format!("\n- `{}`: {}", value.as_str()?, said.as_ref()?)))
        .collect();
    if !lines.is_empty() {
        let before = members.get("description").and_then(Value::as_str);
        let described = format!("{}\n{lines}", before.unwrap_or_default());
        members.insert("description".to_owned(), described.trim().into());
    }
}

/// Moves the alternatives of a tagged union out of its schema, each with the common members added,
/// and replaces them by references.
fn name_alternatives(name: &str, schema: &mut Value) -> Vec<(String, Value)> {
    let Some(tag) = tag_of(schema) else {
        return Vec::new();
    };
    let mut common = schema.take();
    let alternatives = common["oneOf"].take();
    let mut mapping = Map::new();
    let mut references = Vec::new();
    let mut named = Vec::new();
    for alternative in alternatives.as_array().into_iter().flatten() {
        let value = alternative["properties"][&tag]["const"].as_str();
        let value = value.unwrap_or_default();
        let reference = Schemas::reference(&format!("{name}{}", in_camel_case(value)));
        mapping.insert(value.to_owned(), reference["$ref"].clone());
        references.push(reference);
        let name = format!("{name}{}", in_camel_case(value));
        named.push((name, joined(&common, alternative)));
    }
    *schema = json!({
        "oneOf": references,
        "discriminator": {"propertyName": tag, "mapping": mapping},
    });
    if let Some(description) = common.get("description") {
        schema["description"] = description.clone();
    }
    named
}

/// The member with a different constant in every alternative.
fn tag_of(schema: &Value) -> Option<String> {
    let alternatives = schema["oneOf"].as_array()?;
    let members = alternatives.first()?["properties"].as_object()?;
    let is_tag = |name: &&String| {
        let mut values = alternatives
            .iter()
            .map(|one| &one["properties"][name.as_str()]["const"]);
        values.all(Value::is_string)
    };
    members.keys().find(is_tag).cloned()
}

/// An alternative with the members common to all.
fn joined(common: &Value, alternative: &Value) -> Value {
    let mut joined = alternative.clone();
    let members = common["properties"].as_object().into_iter().flatten();
    for (name, member) in members {
        joined["properties"][name] = member.clone();
    }
    let required = common["required"].as_array().into_iter().flatten();
    if let Some(names) = joined["required"].as_array_mut() {
        names.extend(required.cloned());
    }
    joined
}

/// `no-data` as `NoData`.
fn in_camel_case(value: &str) -> String {
    let words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(name: &str, schema: Value) -> Value {
        let mut schemas = Map::from_iter([(name.to_owned(), schema)]);
        rewrite(&mut schemas);
        schemas.into()
    }

    #[test]
    fn a_choice_of_texts_is_an_enumeration_that_says_what_each_means() {
        let schema = json!({
            "oneOf": [
                {"type": "string", "enum": ["a", "b"]},
                {"type": "string", "const": "c", "description": "The third."},
            ],
            "description": "Letters.",
        });
        assert_eq!(
            rewritten("Letter", schema),
            json!({"Letter": {
                "description": "Letters.\n\n- `c`: The third.",
                "type": "string",
                "enum": ["a", "b", "c"],
            }})
        );
        let other = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
        assert_eq!(rewritten("Text", other.clone())["Text"], other);
    }

    #[test]
    fn the_alternatives_of_a_tagged_union_have_names_and_a_discriminator() {
        let tag = |value| json!({"type": "string", "const": value});
        let schema = json!({
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "oneOf": [
                {"type": "object", "properties": {"status": tag("ok"), "data": {"type": "string"}}, "required": ["status", "data"]},
                {"type": "object", "properties": {"status": tag("no-data")}, "required": ["status"]},
            ],
            "description": "One or the other.",
        });
        assert_eq!(
            rewritten("Part", schema),
            json!({
                "Part": {
                    "oneOf": [
                        {"$ref": "#/components/schemas/PartOk"},
                        {"$ref": "#/components/schemas/PartNoData"},
                    ],
                    "discriminator": {"propertyName": "status", "mapping": {
                        "ok": "#/components/schemas/PartOk",
                        "no-data": "#/components/schemas/PartNoData",
                    }},
                    "description": "One or the other.",
                },
                "PartOk": {
                    "type": "object",
                    "properties": {"status": tag("ok"), "data": {"type": "string"}, "id": {"type": "string"}},
                    "required": ["status", "data", "id"],
                },
                "PartNoData": {
                    "type": "object",
                    "properties": {"status": tag("no-data"), "id": {"type": "string"}},
                    "required": ["status", "id"],
                },
            })
        );
    }
}
