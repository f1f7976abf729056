//! Spans as OTLP writes them in JSON: ids in hexadecimal digits, times and whole
//! numbers as decimal text.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::span::{AttributeValue, Recorded, SpanKind};

const SERVICE: &str = "parafa";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The status of a span that failed.
const ERROR: u8 = 2;
/// The attribute that says why a span failed.
const ERROR_TYPE: &str = "error.type";
/// The attribute with the status of an answer.
const STATUS_CODE: &str = "http.response.status_code";

/// An OTLP request without spans, to check that the collector answers.
#[must_use]
pub fn nothing() -> Bytes {
    Bytes::from_static(br#"{"resourceSpans":[]}"#)
}

/// An OTLP request with these spans.
pub(crate) fn request(spans: &[Recorded]) -> Bytes {
    let resource = [
        attribute("service.name", &AttributeValue::Text(SERVICE.to_owned())),
        attribute("service.version", &AttributeValue::Text(VERSION.to_owned())),
    ];
    let spans: Vec<Value> = spans.iter().map(span).collect();
    let request = json!({
        "resourceSpans": [{
            "resource": {"attributes": resource},
            "scopeSpans": [{
                "scope": {"name": SERVICE, "version": VERSION},
                "spans": spans,
            }],
        }],
    });
    request.to_string().into()
}

fn span(recorded: &Recorded) -> Value {
    let Recorded { fields, began, .. } = recorded;
    let ended = *began + recorded.lasted.unwrap_or_default();
    let attributes = fields.attributes.iter();
    let attributes: Vec<Value> = attributes
        .map(|(key, value)| attribute(key, value))
        .collect();
    let mut span = json!({
        "traceId": hex::encode(recorded.context.trace),
        "spanId": hex::encode(recorded.context.span),
        "name": fields.name.as_deref().unwrap_or(recorded.name),
        "kind": number_of(fields.kind),
        "startTimeUnixNano": began.as_nanos().to_string(),
        "endTimeUnixNano": ended.as_nanos().to_string(),
        "attributes": attributes,
    });
    if let Some(parent) = recorded.parent {
        span["parentSpanId"] = hex::encode(parent).into();
    }
    if has_failed(recorded) {
        span["status"] = json!({"code": ERROR});
    }
    span
}

fn attribute(key: &str, value: &AttributeValue) -> Value {
    let value = match value {
        AttributeValue::Text(text) => json!({"stringValue": text}),
        AttributeValue::Number(number) => json!({"intValue": number.to_string()}),
        AttributeValue::Truth(truth) => json!({"boolValue": truth}),
    };
    json!({"key": key, "value": value})
}

fn number_of(kind: SpanKind) -> u8 {
    match kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Consumer => 5,
    }
}

/// Returns true if the span failed. A 4xx answer is the client's failure, not the server's.
fn has_failed(recorded: &Recorded) -> bool {
    let least = match recorded.fields.kind {
        SpanKind::Client => 400,
        _ => 500,
    };
    let mut attributes = recorded.fields.attributes.iter();
    attributes.any(|(key, value)| match (*key, value) {
        (ERROR_TYPE, _) => true,
        (STATUS_CODE, AttributeValue::Number(status)) => *status >= least,
        _ => false,
    })
}
