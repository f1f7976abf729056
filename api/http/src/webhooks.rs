//! Common documentation of webhooks in every API.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::openapi::Schemas;
use crate::vocabulary::WireName;

/// Test vector for receivers, as part of a description.
pub(crate) const TEST_VECTOR: &str = include_str!("documentation/vector.txt").trim_ascii_end();

/// Verification of a delivery in a shell, with the delivery's values in `SECRET`, `WEBHOOK_ID`,
/// `WEBHOOK_TIMESTAMP` and `WEBHOOK_SIGNATURE`.
pub const VERIFY_IN_SHELL: &str = include_str!("documentation/verify.sh");

/// A kind of event, for the list of all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Event {
    /// Name of the event.
    pub name: &'static str,
    /// Summary of the event.
    pub summary: &'static str,
}

/// Headers of a delivery, with their descriptions.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "X-Service-Signature",
        "sha256= and the hexadecimal HMAC-SHA256 of the raw body. The key is the whole text of the webhook secret, `whsec_` included.",
    ),
    (
        "X-Service-Idempotency-Key",
        "The same for every delivery of one event.",
    ),
    ("X-Service-Event", "The kind of the event."),
    (
        "webhook-id",
        "The message id of Standard Webhooks; the same for every delivery of one event.",
    ),
    (
        "webhook-timestamp",
        "The time of this delivery's signature, in seconds since 1970. Refuse it if it is more than five minutes off.",
    ),
    (
        "webhook-signature",
        "v1, a comma and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops. The key is the webhook secret after `whsec_`, decoded from base64. Several signatures are separated by spaces.",
    ),
];

/// The kinds of events that an API posts to receivers.
pub trait EventKind: WireName + PartialEq {
    /// Body of every event.
    type Body: JsonSchema;

    /// The tag of the operations.
    const TAG: &'static str;
    /// The member of a request that has the receiver's address.
    const ADDRESS: &'static str;
    /// Subject of events.
    const SUBJECT: &'static str;
    /// The kind that is described with a test vector.
    const WITH_VECTOR: Self;

    /// Id of the operation, and a summary of the event.
    fn told(self) -> (&'static str, &'static str);

    /// Members that this kind has beside those that all have.
    fn members(self) -> &'static [&'static str] {
        &[]
    }

    /// A body.
    fn example(self) -> Value;
}

/// The kinds of events, for the list of those of all APIs.
#[must_use]
pub fn events<K: EventKind>() -> Vec<Event> {
    let kinds = K::ALL.iter();
    let events = kinds.map(|&(name, kind)| Event {
        name,
        summary: kind.told().1,
    });
    events.collect()
}

/// One OpenAPI operation for each kind of event, by its name.
pub fn operations<K: EventKind>(schemas: &mut Schemas) -> Map<String, Value> {
    let body = schemas.of::<K::Body>();
    let kinds = K::ALL.iter();
    let operations = kinds.map(|&(name, kind)| {
        let post = operation(name, kind, &body);
        (name.to_owned(), json!({"post": post}))
    });
    operations.collect()
}

fn operation<K: EventKind>(name: &str, kind: K, body: &Value) -> Value {
    let (id, summary) = kind.told();
    let mut description = format!(
        "Posted to {}. Verify a signature before acting on it; polling the {} always works too.",
        K::ADDRESS,
        K::SUBJECT
    );
    if kind == K::WITH_VECTOR {
        description = format!("{description}\n\n{TEST_VECTOR}");
    }
    let mut further = json!({"properties": {"event": {"type": "string", "const": name}}});
    if !kind.members().is_empty() {
        further["required"] = json!(kind.members());
    }
    json!({
        "operationId": id,
        "summary": summary,
        "description": description,
        "tags": [K::TAG],
        "security": [],
        "parameters": parameters(name),
        "requestBody": {
            "required": true,
            "content": {
                "application/json": {
                    "schema": {"allOf": [body, further]},
                    "example": kind.example(),
                },
            },
        },
        "responses": responses(),
    })
}

/// Effects of a receiver's answers.
fn responses() -> Value {
    json!({
        "2XX": {"description": "Acknowledged: it is not sent again."},
        "3XX": {"description": "Not followed, and not sent again."},
        "4XX": {"description": "Refused: it is not sent again. 408, 421, 425 and 429 are retried, not before their Retry-After."},
        "5XX": {"description": "Retried later, like a failed connection."},
    })
}

/// The headers of a delivery of this kind of event.
fn parameters(event: &str) -> Vec<Value> {
    let headers = HEADERS.iter().map(|(name, description)| {
        let schema = match *name {
            "X-Service-Signature" => json!({"type": "string", "pattern": "^sha256=[0-9a-f]{64}$"}),
            "X-Service-Event" => json!({"type": "string", "const": event}),
            "webhook-timestamp" => json!({"type": "string", "pattern": "^[0-9]+$"}),
            _ => json!({"type": "string"}),
        };
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": schema,
        })
    });
    headers.collect()
}
