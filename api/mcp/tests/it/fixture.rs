//! The tools that the conformance suite calls, as far as they are of a kind that
//! is offered here.

use std::sync::LazyLock;

use async_trait::async_trait;
use parafa_api_http::{Access, Credentials, Principal, Problem};
use parafa_api_mcp::model::{CallToolResult, Implementation, Tool};
use parafa_api_mcp::{AgentTools, ToolCall};
use serde_json::{Value, json};
use uuid::Uuid;

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A sound without a sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

pub(crate) struct SuiteTools;

/// The suite has no key.
pub(crate) struct Suite;

impl Principal for Suite {
    fn key_id(&self) -> Uuid {
        Uuid::nil()
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    let nothing = json!({"type": "object", "additionalProperties": false});
    let tool = |name: &'static str, schema: &Value| {
        let schema = schema.as_object().cloned().expect("an object");
        Tool::new(name, "A tool of the conformance suite.", schema)
    };
    vec![
        tool("json_schema_2020_12_tool", &schema),
        tool("test_audio_content", &nothing),
        tool("test_embedded_resource", &nothing),
        tool("test_error_handling", &nothing),
        tool("test_image_content", &nothing),
        tool("test_multiple_content_types", &nothing),
        tool("test_simple_text", &nothing),
    ]
});

#[async_trait]
impl AgentTools for SuiteTools {
    type Caller = Suite;

    fn server(&self) -> Implementation {
        Implementation::new("fixture", "1.0.0")
    }

    fn instructions(&self) -> String {
        "Call what the suite asks for.".to_owned()
    }

    fn tools(&self) -> &[Tool] {
        &TOOLS
    }

    async fn authenticate(&self, _: Option<&Credentials>) -> Result<Suite, Problem> {
        Ok(Suite)
    }

    async fn call(&self, call: ToolCall<'_, Suite>) -> Result<CallToolResult, Problem> {
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
        let resource = |uri: &str, media_type: &str, text: &str| {
            let resource = json!({"uri": uri, "mimeType": media_type, "text": text});
            json!({"type": "resource", "resource": resource})
        };
        let content = match call.tool {
            "test_audio_content" => {
                json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])
            }
            "test_embedded_resource" => json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )]),
            "test_error_handling" => {
                return Err(Problem::unavailable("This tool always refuses."));
            }
            "test_image_content" => json!([image]),
            "test_multiple_content_types" => json!([
                text("Multiple content types test:"),
                image,
                resource(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#
                ),
            ]),
            _ => json!([text("This is a simple text response for testing.")]),
        };
        let result = serde_json::from_value(json!({"resultType": "complete", "content": content}));
        Ok(result.expect("the result of a call"))
    }
}
