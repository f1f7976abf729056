//! Requirements on a description, so that tools understand it and generated clients work.
//!
//! By hand, now and then: `openapi-spec-validator` (PyPI) on both forms.

use std::collections::HashSet;

use serde_json::{Value, json};

/// Checks the references, ids and examples of `document`, and its schemas for what client
/// generators stumble over; checks that every call has examples.
#[track_caller]
pub(crate) fn assert_sound(document: &Value) {
    let mut ids = HashSet::new();
    let mut examples = 0;
    walk(document, "", &mut |value, place| {
        if let Some(id) = value["operationId"].as_str()
            && !place.contains("/links/")
        {
            assert!(ids.insert(id), "{id} is the id of two operations");
        }
        if let Some(reference) = value["$ref"].as_str() {
            let target = document.pointer(&reference[1..]);
            assert!(target.is_some(), "{place}: {reference} leads nowhere");
        }
        for example in examples_of(document, value) {
            let found = faults(document, &value["schema"], example, "");
            assert!(found.is_empty(), "{place}: {found:#?}");
            examples += 1;
        }
        assert_exemplified(document, value, place);
        assert_for_generators(value, place);
    });
    assert!(examples > 10, "{examples}");
}

/// Checks that a call has examples of its input, if it has any, and of its answer.
fn assert_exemplified(document: &Value, value: &Value, place: &str) {
    let taken = value["schema"]["$ref"].as_str();
    let taken = taken.and_then(|reference| document.pointer(&reference[1..]));
    let takes_members = taken.is_some_and(|schema| schema["properties"] != json!({}));
    let is_body =
        place.contains("/responses/2") || (place.contains("/requestBody/") && takes_members);
    if is_body && place.ends_with("/content/application~1json") {
        assert!(value.get("example").is_some(), "{place}: no example");
    }
}

fn examples_of<'d>(document: &'d Value, content: &'d Value) -> Vec<&'d Value> {
    if !content["schema"].is_object() {
        return Vec::new();
    }
    let several = content["examples"].as_object().into_iter().flatten();
    let several = several.filter_map(|(_, example)| {
        let reference = example["$ref"].as_str()?;
        document.pointer(&reference[1..])?.get("value")
    });
    several.chain(content.get("example")).collect()
}

/// Deviations of `value` from a schema: its type, its members and items, and which of them exist. A
/// member that is in the answer but not in its schema is one too.
pub(crate) fn faults(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let fault = |what: &str| vec![format!("{place}: {value} {what}")];
    if *schema == Value::Bool(false) {
        return fault("must not be there");
    }
    let mut found = Vec::new();
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(&reference[1..]).unwrap();
        found.extend(faults(document, target, value, place));
        let is_described = |name: &str| match &target["properties"] {
            Value::Object(members) => members.contains_key(name),
            _ => true,
        };
        let members = value.as_object().into_iter().flatten();
        let unknown = members.filter(|(name, _)| !is_described(name));
        found.extend(unknown.map(|(name, _)| format!("{place}: {name} is not described")));
    }
    let holds = |part: &Value| faults(document, part, value, place).is_empty();
    if let Some(choices) = schema["anyOf"].as_array()
        && !choices.iter().any(holds)
    {
        found.extend(fault("is none of the alternatives"));
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let chosen = choices.iter().filter(|choice| holds(choice));
        if chosen.count() != 1 {
            found.extend(fault("is not one of the alternatives"));
        }
    }
    if let Some(condition) = schema.get("if") {
        let branch = if holds(condition) { "then" } else { "else" };
        found.extend(faults(document, &schema[branch], value, place));
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(faults(document, part, value, place));
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|values| !values.contains(value))
        || schema
            .get("const")
            .is_some_and(|constant| constant != value)
    {
        found.extend(fault("is not one of the values"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_of = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let is_of_type = match &schema["type"] {
        Value::Null => true,
        Value::Array(kinds) => kinds.iter().any(is_of),
        only => is_of(only),
    };
    if !is_of_type {
        found.extend(fault("is of another type"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
            found.push(format!("{place}: {name} is missing"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let at = format!("{place}/{name}");
        match schema["properties"].get(name) {
            Some(schema) => found.extend(faults(document, schema, member, &at)),
            None if schema["additionalProperties"] == false => {
                found.push(format!("{at} is unknown"));
            }
            None => {}
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(faults(
            document,
            &schema["items"],
            item,
            &format!("{place}/{index}"),
        ));
    }
    found
}

fn assert_for_generators(value: &Value, place: &str) {
    if value.get("const").is_some() {
        assert!(
            value["type"].is_string(),
            "{place}: a constant without a type"
        );
    }
    if value["enum"].is_array() {
        let (parent, _) = place.rsplit_once('/').unwrap();
        assert_eq!(
            parent, "/components/schemas",
            "{place}: an enumeration without a name"
        );
    }
    if let Some(alternatives) = value["oneOf"].as_array() {
        let named = alternatives.iter().map(|one| &one["$ref"]);
        let tag = &value["discriminator"];
        assert!(tag["propertyName"].is_string(), "{place}: no discriminator");
        let mapped = tag["mapping"].as_object().expect(place).values();
        assert!(mapped.eq(named), "{place}: alternatives without a name");
        assert!(
            value["properties"].is_null(),
            "{place}: members beside them"
        );
    }
    for choice in value["anyOf"].as_array().into_iter().flatten() {
        assert!(
            choice.get("const").is_none(),
            "{place}: an enumeration in parts"
        );
    }
    if let Some(bytes) = value.get("application/octet-stream") {
        let schema = json!({"type": "string", "format": "binary"});
        assert_eq!(
            bytes["schema"], schema,
            "{place}: bytes that are not said to be some"
        );
    }
}

/// Calls `visit` with every value below `value`, and its place.
fn walk<'v>(value: &'v Value, place: &str, visit: &mut impl FnMut(&'v Value, &str)) {
    visit(value, place);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &format!("{place}/{index}"), visit);
            }
        }
        Value::Object(members) => {
            // Keywords have no meaning inside data.
            let is_data = |name: &str| matches!(name, "example" | "value" | "default");
            for (name, member) in members.iter().filter(|(name, _)| !is_data(name)) {
                let name = name.replace('/', "~1");
                walk(member, &format!("{place}/{name}"), visit);
            }
        }
        _ => {}
    }
}
