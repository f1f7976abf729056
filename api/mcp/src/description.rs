//! Schemas of an OpenAPI document, each as a document of its own.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Where schemas of an OpenAPI document are, and where in one that stands alone.
const COMPONENTS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/$defs/";

/// How formats of numbers begin.
const NUMBERS: [&str; 4] = ["int", "uint", "float", "double"];
/// Of a problem document (RFC 9457).
const PROBLEM: &str = "Problem";

/// The schema of what `operation` answers in JSON: that of when it is carried
/// out, or a problem document. Clients hold the structured content of a refusal
/// against the schema as well.
pub(crate) fn answer_schema(description: &Value, operation: &Value) -> Option<JsonObject> {
    let responses = operation["responses"].as_object()?;
    let (_, response) = responses
        .iter()
        .find(|(status, _)| status.starts_with('2'))?;
    let carried_out = &response["content"]["application/json"]["schema"];
    let refused = format!("{COMPONENTS}{PROBLEM}");
    let either = json!({"type": "object", "anyOf": [carried_out, {"$ref": refused}]});
    alone(description, &either).filter(|_| carried_out.is_object())
}

/// The schema of the body that `operation` takes.
pub(crate) fn body_schema(description: &Value, operation: &Value) -> Option<JsonObject> {
    let content = &operation["requestBody"]["content"];
    alone(description, &content["application/json"]["schema"])
}

/// `schema` with all that it refers to in it, of type object, as tools have it.
fn alone(description: &Value, schema: &Value) -> Option<JsonObject> {
    let components = description["components"]["schemas"].as_object();
    let resolve = |name: &str| components.and_then(|schemas| schemas.get(name)).cloned();
    let mut root = schema.clone();
    while let Some(name) = root["$ref"]
        .as_str()
        .and_then(|at| at.strip_prefix(COMPONENTS))
    {
        root = resolve(name)?;
    }
    let mut names = Vec::new();
    redirect(&mut root, &mut names);
    simplify(&mut root);
    let mut definitions = Map::new();
    while let Some(name) = names.pop() {
        if !definitions.contains_key(&name) {
            let mut definition = resolve(&name)?;
            redirect(&mut definition, &mut names);
            simplify(&mut definition);
            definitions.insert(name, definition);
        }
    }
    let Value::Object(mut root) = root else {
        return None;
    };
    root.entry("type").or_insert_with(|| "object".into());
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), definitions.into());
    }
    Some(root)
}

/// Has references lead to where the schemas will be, and notes which.
fn redirect(schema: &mut Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members {
                let name = value.as_str().and_then(|at| at.strip_prefix(COMPONENTS));
                match name.filter(|_| keyword == "$ref").map(str::to_owned) {
                    Some(name) => {
                        *value = format!("{DEFINITIONS}{name}").into();
                        names.push(name);
                    }
                    None => redirect(value, names),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                redirect(item, names);
            }
        }
        _ => {}
    }
}

/// Says the same in words that clients of tools know. Formats of numbers are
/// OpenAPI's and nobody's beyond it: a validator warns of each. A schema that is
/// `false` is one that not all clients take for a schema.
fn simplify(schema: &mut Value) {
    if let Value::Object(members) = schema {
        let format = members.get("format").and_then(Value::as_str);
        if format.is_some_and(|format| NUMBERS.iter().any(|number| format.starts_with(number))) {
            members.shift_remove("format");
        }
        if let Some(Value::Object(properties)) = members.get_mut("properties") {
            for property in properties.values_mut() {
                if *property == Value::Bool(false) {
                    *property = json!({"not": {}});
                }
            }
        }
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(simplify),
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_that_of_an_answer_or_a_problem_with_what_they_refer_to() {
        let description = json!({"components": {"schemas": {
            "Profile": {"type": "object", "properties": {"seat": {"$ref": "#/components/schemas/Address"}}},
            "Address": {"type": "object", "properties": {"country": {"$ref": "#/components/schemas/Country"}}},
            "Country": {"type": "string"},
            "Problem": {"type": "object", "required": ["status"]},
            "Other": {"type": "integer"},
        }}});
        let operation = json!({"responses": {"200": {"content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/Profile"},
        }}}}});
        let schema = Value::Object(answer_schema(&description, &operation).unwrap());
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "anyOf": [{"$ref": "#/$defs/Profile"}, {"$ref": "#/$defs/Problem"}],
                "$defs": {
                    "Problem": {"type": "object", "required": ["status"]},
                    "Profile": {"type": "object", "properties": {"seat": {"$ref": "#/$defs/Address"}}},
                    "Address": {"type": "object", "properties": {"country": {"$ref": "#/$defs/Country"}}},
                    "Country": {"type": "string"},
                },
            })
        );
    }

    #[test]
    fn a_schema_says_nothing_that_clients_do_not_know() {
        let schema = json!({
            "type": "object",
            "properties": {
                "format": {"type": "integer", "format": "uint64", "minimum": 0},
                "since": {"type": "string", "format": "date"},
            },
            "else": {"properties": {"since": false}},
            "additionalProperties": false,
        });
        let operation =
            json!({"requestBody": {"content": {"application/json": {"schema": schema}}}});
        let told = Value::Object(body_schema(&json!({}), &operation).unwrap());
        assert_eq!(
            told,
            json!({
                "type": "object",
                "properties": {
                    "format": {"type": "integer", "minimum": 0},
                    "since": {"type": "string", "format": "date"},
                },
                "else": {"properties": {"since": {"not": {}}}},
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn an_operation_that_is_not_described_has_no_schema() {
        assert!(answer_schema(&json!({}), &Value::Null).is_none());
        assert!(body_schema(&json!({}), &Value::Null).is_none());
    }
}
