//! Tools as models see them: short, with descriptions of what a call does, and
//! within the published limits of the large model APIs.

use serde_json::{Map, Value, json};

use super::endpoint;
use crate::support::demo::Demo;
use crate::support::root;

type Object = Map<String, Value>;

/// A requirement of a model API on every schema in a tool's input.
struct Rule {
    /// Source: the API, and the place of its documentation.
    source: &'static str,
    says: &'static str,
    /// Check of a schema; the second argument says whether it is the root.
    holds: fn(&Object, bool) -> bool,
    /// Example of a schema that the API refuses.
    refused: fn() -> Value,
}

const OPENAI_FUNCTIONS: &str = "OpenAI: platform.openai.com/docs/guides/function-calling";
const OPENAI_STRICT: &str =
    "OpenAI: platform.openai.com/docs/guides/structured-outputs#supported-schemas";
const ANTHROPIC_TOOLS: &str =
    "Anthropic: docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview";
const ANTHROPIC_STRICT: &str = "Anthropic: platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations";
const GEMINI: &str = "Gemini: ai.google.dev/api/caching#Schema";

const RULES: [Rule; 11] = [
    Rule {
        source: OPENAI_FUNCTIONS,
        says: "the root is of type object, without oneOf, anyOf, allOf, enum or not",
        holds: |schema, is_root| {
            !is_root
                || schema["type"] == "object"
                    && has_none(schema, &["oneOf", "anyOf", "allOf", "enum", "not"])
        },
        refused: || json!({"type": "object", "allOf": []}),
    },
    Rule {
        source: OPENAI_STRICT,
        says: "objects have additionalProperties: false",
        holds: |schema, _| {
            schema.get("type") != Some(&json!("object"))
                || schema.get("additionalProperties") == Some(&json!(false))
        },
        refused: || json!({"type": "object", "properties": {}}),
    },
    Rule {
        source: OPENAI_STRICT,
        says: "no allOf, not, dependentRequired, dependentSchemas, if, then, else",
        holds: |schema, _| {
            let conditions = ["allOf", "not", "if", "then", "else"];
            has_none(schema, &conditions)
                && has_none(schema, &["dependentRequired", "dependentSchemas"])
        },
        refused: || json!({"if": {}, "then": {}}),
    },
    Rule {
        source: OPENAI_STRICT,
        says: "formats are date-time, time, date, duration, email, hostname, ipv4, ipv6, uuid",
        holds: |schema, _| {
            let known = ["date-time", "time", "date", "duration", "email"];
            let known = known
                .into_iter()
                .chain(["hostname", "ipv4", "ipv6", "uuid"]);
            let format = schema.get("format").and_then(Value::as_str);
            format.is_none_or(|format| known.clone().any(|known| known == format))
        },
        refused: || json!({"type": "string", "format": "uri"}),
    },
    Rule {
        source: ANTHROPIC_TOOLS,
        says: "the root is of type object, without oneOf, allOf or anyOf",
        holds: |schema, is_root| {
            !is_root || schema["type"] == "object" && has_none(schema, &["oneOf", "allOf", "anyOf"])
        },
        refused: || json!({"type": "object", "anyOf": []}),
    },
    Rule {
        source: ANTHROPIC_STRICT,
        says: "no bounds of numbers, lengths and counts",
        holds: |schema, _| {
            has_none(
                schema,
                &["minimum", "maximum", "multipleOf", "exclusiveMinimum"],
            ) && has_none(schema, &["minLength", "maxLength", "minItems", "maxItems"])
                && has_none(schema, &["uniqueItems", "exclusiveMaximum", "contains"])
        },
        refused: || json!({"type": "integer", "minimum": 1}),
    },
    Rule {
        source: ANTHROPIC_STRICT,
        says: "patterns look neither ahead nor back, and refer to nothing",
        holds: |schema, _| {
            let pattern = schema
                .get("pattern")
                .and_then(Value::as_str)
                .unwrap_or_default();
            !["(?", "\\b", "\\1"]
                .iter()
                .any(|part| pattern.contains(part))
        },
        refused: || json!({"type": "string", "pattern": "^(?=a)"}),
    },
    Rule {
        source: GEMINI,
        says: "the members of Schema, and additionalProperties as in parametersJsonSchema",
        holds: |schema, _| {
            let known = [
                "type",
                "format",
                "title",
                "description",
                "nullable",
                "enum",
                "items",
            ];
            let more = ["properties", "required", "pattern", "additionalProperties"];
            schema
                .keys()
                .all(|name| known.contains(&name.as_str()) || more.contains(&name.as_str()))
        },
        refused: || json!({"$ref": "#/$defs/x"}),
    },
    Rule {
        source: GEMINI,
        says: "a schema has one type, and an array says of what",
        holds: |schema, _| {
            let kind = schema.get("type").and_then(Value::as_str);
            kind.is_some() && (kind != Some("array") || schema.contains_key("items"))
        },
        refused: || json!({"type": ["string", "null"]}),
    },
    Rule {
        source: GEMINI,
        says: "an enum is of strings",
        holds: |schema, _| {
            let mut values = schema
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            values.all(Value::is_string)
        },
        refused: || json!({"type": "integer", "enum": [0, 1]}),
    },
    Rule {
        source: GEMINI,
        says: "what is required is among the properties, and an object has some",
        holds: |schema, _| {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array);
            let is_known = |name: &Value| {
                name.as_str()
                    .is_some_and(|name| properties.is_some_and(|known| known.contains_key(name)))
            };
            required.into_iter().flatten().all(is_known)
                && properties.is_none_or(|properties| !properties.is_empty())
        },
        refused: || json!({"type": "object", "properties": {"a": {}}, "required": ["b"]}),
    },
];

fn has_none(schema: &Object, keywords: &[&str]) -> bool {
    !keywords.iter().any(|keyword| schema.contains_key(*keyword))
}

/// Visits every schema within one, and says whether it is the root.
fn each_schema(schema: &Value, is_root: bool, visit: &mut impl FnMut(&Object, bool)) {
    let Some(members) = schema.as_object() else {
        return;
    };
    visit(members, is_root);
    let properties = members.get("properties").and_then(Value::as_object);
    let inner = properties.into_iter().flat_map(Map::values);
    for inner in inner.chain(members.get("items")) {
        each_schema(inner, false, visit);
    }
}

/// Returns the list of tools, as sent.
async fn list() -> String {
    let demo = Demo::start();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let client = reqwest::Client::builder().no_proxy().build();
    let request = client.expect("a client").post(endpoint(&demo));
    let answer = request.json(&message).send().await.expect("an answer");
    answer.text().await.expect("a text")
}

async fn tools() -> Vec<Value> {
    let list: Value = serde_json::from_str(&list().await).expect("JSON");
    list["result"]["tools"].as_array().expect("tools").clone()
}

#[tokio::test]
async fn the_large_apis_of_models_take_every_tool() {
    for tool in tools().await {
        let name = tool["name"].as_str().expect("a name");
        let is_named = name.len() <= 64 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(is_named, "{OPENAI_FUNCTIONS}, {GEMINI}: {name}");
        let described = tool["description"].as_str().expect("a description");
        assert!(described.len() <= 1024, "{OPENAI_FUNCTIONS}: {name}");
        each_schema(&tool["inputSchema"], true, &mut |schema, is_root| {
            for Rule {
                source,
                says,
                holds,
                ..
            } in &RULES
            {
                assert!(
                    holds(schema, is_root),
                    "{name}: {source}: {says}: {schema:?}"
                );
            }
        });
    }
}

#[test]
fn a_schema_that_an_api_refuses_is_told() {
    for Rule {
        says,
        holds,
        refused,
        ..
    } in &RULES
    {
        let refused = refused();
        assert!(
            !holds(refused.as_object().expect("an object"), true),
            "{says}"
        );
    }
}

#[tokio::test]
async fn the_list_of_tools_is_short() {
    let list = list().await;
    assert!(list.len() < 40_000, "{}", list.len());
}

#[tokio::test]
async fn a_description_tells_the_price_of_the_price_list_and_what_comes_next() {
    let path = root().join("host/diligence/data/prices.toml");
    let prices = std::fs::read_to_string(path).expect("the price list");
    let tools = tools().await;
    let described = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        let tool = tool.expect("a tool")["description"].as_str();
        tool.expect("a text").to_owned()
    };
    for (tool, item, next) in [
        ("lookup_company", "company_profile", "get_participants"),
        ("get_participants", "participants", "get_beneficial_owners"),
        (
            "get_beneficial_owners",
            "beneficial_owners",
            "get_participants",
        ),
        ("get_real_estate", "real_estate", "get_seizures"),
        ("get_seizures", "seizures", "get_court_cases"),
        ("get_court_cases", "cases", "get_seizures"),
        ("get_due_diligence_report", "report", "single tools"),
    ] {
        let line = prices.lines().find(|line| line.starts_with(item));
        let (_, cents) = line
            .and_then(|line| line.split_once("json = "))
            .expect(item);
        let (cents, _) = cents.split_once(',').expect(item);
        let cents: u32 = cents.parse().expect(item);
        let price = format!("{}.{:02} euro", cents / 100, cents % 100);
        let described = described(tool);
        assert!(described.contains(&price), "{tool}: {described}");
        assert!(described.contains(next), "{tool}: {described}");
    }
    assert!(described("get_seizures").contains("removed ones too"));
    assert!(described("create_kyc_package").contains("get_kyc_package"));
}
