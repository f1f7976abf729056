//! Schemas of an OpenAPI document, each as a document of its own.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};

/// Where schemas of an OpenAPI document are, and where in one that stands alone.
const COMPONENTS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/$defs/";

/// The schema of what `operation` answers in JSON when it is carried out.
pub(crate) fn answer_schema(description: &Value, operation: &Value) -> Option<JsonObject> {
    let responses = operation["responses"].as_object()?;
    let (_, response) = responses
        .iter()
        .find(|(status, _)| status.starts_with('2'))?;
    alone(
        description,
        &response["content"]["application/json"]["schema"],
    )
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
    let mut definitions = Map::new();
    while let Some(name) = names.pop() {
        if !definitions.contains_key(&name) {
            let mut definition = resolve(&name)?;
            redirect(&mut definition, &mut names);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_takes_along_what_it_refers_to() {
        let description = json!({"components": {"schemas": {
            "Profile": {"type": "object", "properties": {"seat": {"$ref": "#/components/schemas/Address"}}},
            "Address": {"type": "object", "properties": {"country": {"$ref": "#/components/schemas/Country"}}},
            "Country": {"type": "string"},
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
                "properties": {"seat": {"$ref": "#/$defs/Address"}},
                "$defs": {
                    "Address": {"type": "object", "properties": {"country": {"$ref": "#/$defs/Country"}}},
                    "Country": {"type": "string"},
                },
            })
        );
    }

    #[test]
    fn an_operation_that_is_not_described_has_no_schema() {
        assert!(answer_schema(&json!({}), &Value::Null).is_none());
        assert!(body_schema(&json!({}), &Value::Null).is_none());
    }
}
