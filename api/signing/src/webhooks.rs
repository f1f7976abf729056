//! What the service posts to a signing's webhook address.

use parafa_api_http::{Schemas, WireName};
use serde_json::{Map, Value, json};

use crate::examples;
use crate::operations::EVENTS;
use crate::views::SigningEvent;
use crate::vocabulary::SigningEventKind;

/// One webhook for each kind of event, by its name.
pub(crate) fn all(schemas: &mut Schemas) -> Map<String, Value> {
    let event = schemas.of::<SigningEvent>();
    SigningEventKind::ALL
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({"post": webhook(*kind, &event)})))
        .collect()
}

fn webhook(kind: SigningEventKind, event: &Value) -> Value {
    let (id, summary) = match kind {
        SigningEventKind::SignerSigned => ("onSignerSigned", "A signer signed"),
        SigningEventKind::SignerDeclined => ("onSignerDeclined", "A signer declined"),
        SigningEventKind::Completed => ("onSigningCompleted", "Every signer signed"),
        SigningEventKind::Declined => ("onSigningDeclined", "The signing was declined"),
        SigningEventKind::Cancelled => ("onSigningCancelled", "The signing was cancelled"),
        SigningEventKind::Expired => ("onSigningExpired", "The hard deadline passed"),
        SigningEventKind::Failed => ("onSigningFailed", "The signing failed"),
    };
    json!({
        "operationId": id,
        "summary": summary,
        "description": "Posted to webhookUrl. Verify a signature before acting on it; polling the signing always works too.",
        "tags": [EVENTS.name],
        "security": [],
        "parameters": headers(kind),
        "requestBody": {
            "required": true,
            "content": {
                "application/json": {
                    "schema": {"allOf": [
                        event,
                        {
                            "properties": {"event": {"type": "string", "const": kind.as_str()}},
                            "required": members(kind),
                        },
                    ]},
                    "example": examples::event(kind),
                },
            },
        },
        "responses": {
            "2XX": {"description": "Acknowledged: it is not sent again."},
            "3XX": {"description": "Not followed, and not sent again."},
            "4XX": {"description": "Refused: it is not sent again."},
            "5XX": {"description": "Sent again later, as after a failed transport."},
        },
    })
}

/// Members that this kind has beside those that all have.
fn members(kind: SigningEventKind) -> &'static [&'static str] {
    match kind {
        SigningEventKind::SignerSigned => &["signer", "document"],
        SigningEventKind::SignerDeclined => &["signer"],
        SigningEventKind::Completed => &["completionMode"],
        SigningEventKind::Declined
        | SigningEventKind::Cancelled
        | SigningEventKind::Expired
        | SigningEventKind::Failed => &[],
    }
}

fn headers(kind: SigningEventKind) -> Vec<Value> {
    let hmac = json!({"type": "string", "pattern": "^sha256=[0-9a-f]{64}$"});
    [
        (
            "X-Service-Signature",
            "sha256= and the HMAC-SHA256 of the raw body in hexadecimal digits, keyed with the text of the webhook secret.",
            hmac,
        ),
        (
            "X-Service-Idempotency-Key",
            "The same for every delivery of one event.",
            json!({"type": "string"}),
        ),
        (
            "X-Service-Event",
            "The kind of the event.",
            json!({"type": "string", "const": kind.as_str()}),
        ),
        (
            "webhook-id",
            "As Standard Webhooks has it; the same for every delivery of one event.",
            json!({"type": "string"}),
        ),
        (
            "webhook-timestamp",
            "Seconds since 1970 at which this delivery was signed.",
            json!({"type": "string", "pattern": "^[0-9]+$"}),
        ),
        (
            "webhook-signature",
            "v1, a comma and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops; several are separated by spaces.",
            json!({"type": "string"}),
        ),
    ]
    .into_iter()
    .map(|(name, description, schema)| {
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": schema,
        })
    })
    .collect()
}
