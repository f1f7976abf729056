//! What every API says of the webhooks that it posts.

use serde_json::{Value, json};

/// For whoever verifies deliveries, in a description.
pub const TEST_VECTOR: &str = include_str!("documentation/vector.txt").trim_ascii_end();

/// How a delivery is verified in a shell, whose `SECRET`, `WEBHOOK_ID`,
/// `WEBHOOK_TIMESTAMP` and `WEBHOOK_SIGNATURE` are those of the delivery.
pub const VERIFY_IN_SHELL: &str = include_str!("documentation/verify.sh");

/// A kind of event, for the list of all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Event {
    /// What it is called.
    pub name: &'static str,
    /// What happened, in a few words.
    pub summary: &'static str,
}

/// The headers of a delivery, and what is in them.
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
        "When this delivery was signed, in seconds since 1970. Refuse it if it is more than five minutes off.",
    ),
    (
        "webhook-signature",
        "v1, a comma and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops. The key is the webhook secret after `whsec_`, decoded from base64. Several signatures are separated by spaces.",
    ),
];

/// An event that is posted to a receiver.
pub struct EventPost<'a> {
    /// Its kind, as the body says it.
    pub kind: &'a str,
    /// The id of the operation.
    pub operation_id: &'a str,
    /// What happened, in a few words.
    pub summary: &'a str,
    /// Where to and what for, in sentences.
    pub description: String,
    /// The tag of the operation.
    pub tag: &'a str,
    /// The schema of the body, whatever the event.
    pub body: &'a Value,
    /// What the schema says of this event alone.
    pub further: Value,
    /// A body.
    pub example: Value,
}

impl EventPost<'_> {
    /// The OpenAPI operation.
    #[must_use]
    pub fn operation(self) -> Value {
        json!({
            "operationId": self.operation_id,
            "summary": self.summary,
            "description": self.description,
            "tags": [self.tag],
            "security": [],
            "parameters": parameters(self.kind),
            "requestBody": {
                "required": true,
                "content": {
                    "application/json": {
                        "schema": {"allOf": [self.body, self.further]},
                        "example": self.example,
                    },
                },
            },
            "responses": responses(),
        })
    }
}

/// What the answers of a receiver come to.
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
