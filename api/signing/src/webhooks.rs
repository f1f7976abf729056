//! What the service posts to a signing's webhook address.

use parafa_api_http::{Schemas, WireName};
use serde_json::{Map, Value, json};

use crate::examples;
use crate::operations::EVENTS;
use crate::views::SigningEvent;
use crate::vocabulary::SigningEventKind;

/// The same as in `docs/webhooks.md`.
const TEST_VECTOR: &str = "\
A test vector. Secret: `whsec_cGFyYWZhIHB1Ymxpc2hlZCB0ZXN0IHZlY3RvciBrZXk=`; webhook-id: \
`0192c3d4-e5f6-7a8b-9c0d-1e2f3a4b5c6d`; webhook-timestamp: `1790000000`; body, one line without a line \
end: `{\"event\":\"signing.completed\",\"signingId\":\"0192c3d4-0000-7000-8000-000000000001\",\
\"status\":\"completed\",\"externalId\":null,\"occurredAt\":\"2026-09-21T14:13:20.000Z\",\
\"completionMode\":\"qes_ceremony\"}`. X-Service-Signature: \
`sha256=72bbd234b347bb960eeaa3b056dae1f21b780a7cd9e7d63bca26d64cfa9e7190`; webhook-signature: \
`v1,LOKb4NgAptZXcHvzU+wgrftumxMzZmPghSDAINyNnOc=`.";

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
    let posted = "Posted to webhookUrl. Verify a signature before acting on it; polling the signing always works too.";
    let description = match kind {
        SigningEventKind::Completed => format!("{posted}\n\n{TEST_VECTOR}"),
        _ => posted.to_owned(),
    };
    json!({
        "operationId": id,
        "summary": summary,
        "description": description,
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
            "sha256= and the HMAC-SHA256 of the raw body in hexadecimal digits, keyed with the text of the webhook secret, `whsec_` included.",
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
            "Seconds since 1970 at which this delivery was signed. Refuse one that is more than five minutes off.",
            json!({"type": "string", "pattern": "^[0-9]+$"}),
        ),
        (
            "webhook-signature",
            "v1, a comma and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops, keyed with the bytes that the base64 after `whsec_` in the webhook secret stands for; several are separated by spaces.",
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
