//! Facts about a message that are needed before it is handed on.

use rmcp::model::{
    CallToolRequestParams, ErrorCode, ErrorData, InitializeRequestParams, PaginatedRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Member of `_meta` with a request's revision.
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A JSON-RPC message that is one object, parsed once. It is serialized from this for `rmcp`, so
/// that no two parsers can read different calls from it.
pub(crate) struct Message(Map<String, Value>);

impl Message {
    /// # Errors
    /// −32700 for input that is not JSON, −32600 for input that is not one message of JSON-RPC 2.0,
    /// such as a batch.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ErrorData> {
        let invalid = |message: &'static str| ErrorData::invalid_request(message, None);
        match serde_json::from_slice(body) {
            Ok(Value::Object(message)) if message.get("jsonrpc") == Some(&"2.0".into()) => {
                Ok(Self(message))
            }
            Ok(Value::Array(_)) => Err(invalid(
                "A body must be one message; batches are not supported.",
            )),
            Ok(_) => Err(invalid("The body is not a JSON-RPC 2.0 message.")),
            Err(error) => {
                let message = format!("The body is not JSON: {error}.");
                Err(ErrorData::new(ErrorCode::PARSE_ERROR, message, None))
            }
        }
    }

    /// Id of a request, to be repeated in its answer; a notification has none.
    pub(crate) fn id(&self) -> Option<&Value> {
        self.0
            .get("id")
            .filter(|id| id.is_string() || id.is_number())
    }

    fn method(&self) -> Option<&str> {
        self.0.get("method").and_then(Value::as_str)
    }

    /// Fault of the parameters of a request (−32602): `rmcp` treats unreadable parameters like an
    /// unknown method. Or an unknown method requested by a client of an earlier revision (−32601).
    pub(crate) fn fault(&self) -> Option<ErrorData> {
        self.id()?;
        let fault = match self.method()? {
            "initialize" if !self.is_of_stateless_revision() => {
                self.fault_of::<InitializeRequestParams>()
            }
            "tools/call" => self.fault_of::<CallToolRequestParams>(),
            "tools/list" => self.fault_of::<PaginatedRequestParams>(),
            "ping" | "initialize" | "server/discover" => None,
            _ if self.is_of_stateless_revision() => None,
            other => {
                let message = format!("There is no method {other:?}.");
                return Some(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        fault.map(|fault| ErrorData::invalid_params(fault, None))
    }

    /// From 2026-07-28 on, requests contain their revision, and there is no handshake.
    fn is_of_stateless_revision(&self) -> bool {
        let meta = self.0.get("params").and_then(|params| params.get("_meta"));
        meta.is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some())
    }

    /// Faults of the revision's own members in `_meta` are reported by `rmcp`.
    fn fault_of<P: DeserializeOwned>(&self) -> Option<String> {
        let params = match self.0.get("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params
                .iter()
                .filter(|(name, _)| *name != "_meta")
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            Some(_) => return Some("params is not an object.".to_owned()),
        };
        let fault = serde_path_to_error::deserialize::<_, P>(Value::Object(params)).err()?;
        let (path, fault) = (fault.path().to_string(), fault.into_inner());
        Some(match path.as_str() {
            "." => format!("params: {fault}."),
            path => format!("params.{path}: {fault}."),
        })
    }

    /// Name of the tool to call, if it is such a request; empty if it names none. A caller without
    /// a valid key must not see the faults of its request.
    pub(crate) fn called_tool(&self) -> Option<&str> {
        let params = (self.method() == Some("tools/call")).then(|| self.0.get("params"))?;
        let name = params.and_then(|params| params.get("name"));
        Some(name.and_then(Value::as_str).unwrap_or_default())
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        Value::Object(self.0).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(body: &str) -> Option<i32> {
        Message::parse(body.as_bytes())
            .err()
            .map(|error| error.code.0)
    }

    #[test]
    fn a_body_is_one_message_of_json_rpc() {
        assert_eq!(code_of(r#"{"jsonrpc":"2.0","method":"ping","id":1}"#), None);
        assert_eq!(code_of("{"), Some(-32700));
        for other in ["[]", "1", r#"{"jsonrpc":"1.0"}"#, "{}"] {
            assert_eq!(code_of(other), Some(-32600), "{other}");
        }
    }

    #[test]
    fn a_method_that_stands_there_twice_is_handed_on_as_it_was_judged() {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{"name":"x"}}"#;
        let message = Message::parse(body).unwrap();
        assert_eq!(message.called_tool(), None);
        let handed_on = String::from_utf8(message.into_bytes()).unwrap();
        assert!(!handed_on.contains("tools/call"), "{handed_on}");
    }
}
