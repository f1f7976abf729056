//! Schemas of an OpenAPI document for tools: short, and with keywords that every model supports.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Path of the schemas in an OpenAPI document.
const COMPONENTS: &str = "#/components/schemas/";
/// Schema name of a problem document (RFC 9457).
const PROBLEM: &str = "Problem";
/// Keywords on the shape of a value.
const SHAPE: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
];
/// Keywords that all large model APIs support in a tool's input.
const TAKEN: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "pattern",
    "description",
];
/// Keywords on the content of a value.
const INNER: [&str; 4] = ["properties", "required", "additionalProperties", "items"];
/// Depth of an answer's schema, against which clients validate. The meaning of its members is in
/// the whole schema, whose URL is in the answer.
const ANSWER_LEVELS: usize = 3;
/// Deeper than requests are.
const ALL_LEVELS: usize = 16;

/// Outline of the JSON answers of `operation`: the successful one, with `page` as a further member,
/// or a problem document. Clients also validate the structured content of a refusal against the
/// schema.
pub(crate) fn answer_schema(
    description: &Value,
    operation: &Value,
    page: Option<Value>,
) -> Option<JsonObject> {
    let responses = operation["responses"].as_object()?;
    let mut successes = responses.iter();
    let (_, response) = successes.find(|(status, _)| status.starts_with('2'))?;
    let carried_out = response["content"]["application/json"].get("schema")?;
    let schemas = Schemas {
        description,
        keywords: SHAPE,
    };
    let mut carried_out = schemas.outline(carried_out, ANSWER_LEVELS);
    if let Some(page) = page {
        carried_out["properties"]["page"] = page;
    }
    let refused = json!({"$ref": format!("{COMPONENTS}{PROBLEM}")});
    let refused = schemas.outline(&refused, ANSWER_LEVELS);
    let schema = json!({"type": "object", "anyOf": [carried_out, refused]});
    schema.as_object().cloned()
}

/// Schema of the body of `operation`. Conditions between members are given only in their
/// descriptions. One model's API refuses a tool with alternatives or conditions at the root, or all
/// tools sent with it.
pub(crate) fn input_schema(description: &Value, operation: &Value) -> Option<JsonObject> {
    let content = &operation["requestBody"]["content"];
    let schema = content["application/json"].get("schema")?;
    let schemas = Schemas {
        description,
        keywords: TAKEN,
    };
    let schema = schemas.outline(schema, ALL_LEVELS);
    schema.as_object().cloned()
}

/// The named schemas of a description.
struct Schemas<'d> {
    description: &'d Value,
    /// Keywords copied.
    keywords: &'static [&'static str],
}

impl Schemas<'_> {
    /// A schema with its references resolved, `levels` deep.
    fn outline(&self, schema: &Value, levels: usize) -> Value {
        let schema = self.resolved(schema);
        let mut outline = Map::new();
        for keyword in self.keywords {
            let is_inner = INNER.contains(keyword);
            let Some(value) = schema.get(*keyword).filter(|_| levels > 0 || !is_inner) else {
                continue;
            };
            let value = match (*keyword, value) {
                ("properties", Value::Object(members)) => {
                    let members = members.iter().filter(|(name, _)| !is_optional_part(name));
                    let members = members
                        .map(|(name, member)| (name.clone(), self.outline(member, levels - 1)));
                    Value::Object(members.collect())
                }
                ("items", items) => self.outline(items, levels - 1),
                ("required", Value::Array(names)) => names
                    .iter()
                    .filter(|name| !name.as_str().is_some_and(is_optional_part))
                    .cloned()
                    .collect(),
                (_, value) => value.clone(),
            };
            outline.insert((*keyword).to_owned(), value);
        }
        Value::Object(outline)
    }

    /// A schema without references and without a choice between null and another.
    fn resolved(&self, schema: &Value) -> Map<String, Value> {
        let mut own = schema.as_object().cloned().unwrap_or_default();
        if own.contains_key("oneOf") {
            own.insert("type".to_owned(), "object".into());
        }
        if let Some(Value::Array(choices)) = own.shift_remove("anyOf") {
            let null = json!({"type": "null"});
            if let [one] = choices
                .iter()
                .filter(|choice| **choice != null)
                .collect::<Vec<_>>()[..]
            {
                let mut one = self.resolved(one);
                let kind = one.get("type").cloned().unwrap_or_else(|| "object".into());
                one.insert("type".to_owned(), json!([kind, "null"]));
                return beside(one, own);
            }
        }
        let Some(Value::String(reference)) = own.shift_remove("$ref") else {
            return own;
        };
        let name = reference.strip_prefix(COMPONENTS).unwrap_or_default();
        beside(
            self.resolved(&self.description["components"]["schemas"][name]),
            own,
        )
    }
}

/// A schema with keywords that stood beside a reference to it.
fn beside(mut schema: Map<String, Value>, mut own: Map<String, Value>) -> Map<String, Value> {
    let says = |schema: &Map<_, Value>| schema.get("description")?.as_str().map(str::to_owned);
    if let (Some(general), Some(particular)) = (says(&schema), says(&own))
        && schema.contains_key("enum")
    {
        let both = format!("{particular} {general}");
        own.insert("description".to_owned(), both.into());
    }
    schema.extend(own);
    schema
}

/// Returns true if a member is in tools' answers only on request.
fn is_optional_part(name: &str) -> bool {
    name == "bods"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(schema: &str) -> Value {
        json!({"responses": {"200": {"content": {"application/json": {
            "schema": {"$ref": format!("{COMPONENTS}{schema}")},
        }}}}})
    }

    #[test]
    fn a_schema_is_the_outline_of_an_answer_or_a_problem() {
        let text = || json!({"type": "string"});
        let description = json!({"components": {"schemas": {
            "Profile": {
                "type": "object",
                "properties": {
                    "seat": {"anyOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}]},
                    "bods": {"type": "array", "items": text()},
                    "owner": {"oneOf": [{"$ref": "#/components/schemas/Address"}], "discriminator": {}},
                },
                "required": ["seat", "bods"],
            },
            "Address": {
                "type": "object",
                "properties": {"country": {"$ref": "#/components/schemas/Country"}},
                "description": "Where.",
            },
            "Country": {"type": "string", "format": "country", "pattern": "^[A-Z]{2}$"},
            "Problem": {"type": "object", "required": ["status"]},
        }}});
        let page = json!({"type": "object"});
        let schema = answer_schema(&description, &answered("Profile"), Some(page)).unwrap();
        assert_eq!(
            Value::Object(schema),
            json!({"type": "object", "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "seat": {
                            "type": ["object", "null"],
                            "properties": {"country": {"type": "string"}},
                        },
                        "owner": {"type": "object"},
                        "page": {"type": "object"},
                    },
                    "required": ["seat"],
                },
                {"type": "object", "required": ["status"]},
            ]})
        );
    }

    #[test]
    fn what_a_tool_takes_is_a_plain_object() {
        let description = json!({"components": {"schemas": {
            "Order": {
                "type": "object",
                "properties": {
                    "how": {"$ref": "#/components/schemas/How", "description": "Default: link."},
                    "to": {"type": "string", "format": "uri", "maxLength": 2048},
                },
                "required": ["how"],
                "additionalProperties": false,
                "allOf": [{"if": {"required": ["to"]}, "else": {"properties": {"to": false}}}],
            },
            "How": {"type": "string", "enum": ["link", "email"], "description": "How it is sent."},
        }}});
        let operation = json!({"requestBody": {"content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/Order"},
        }}}});
        let schema = input_schema(&description, &operation).unwrap();
        assert_eq!(
            Value::Object(schema),
            json!({
                "type": "object",
                "properties": {
                    "how": {
                        "type": "string",
                        "enum": ["link", "email"],
                        "description": "Default: link. How it is sent.",
                    },
                    "to": {"type": "string"},
                },
                "required": ["how"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn an_operation_that_is_not_described_has_no_schema() {
        assert!(answer_schema(&json!({}), &Value::Null, None).is_none());
        assert!(input_schema(&json!({}), &Value::Null).is_none());
    }
}
