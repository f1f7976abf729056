//! What the service posts to an order's callback.

use parafa_api_http::{Schemas, WireName};
use serde_json::{Map, Value, json};

use super::examples;
use super::operations::ABOUT_KYC;
use super::views::KycEvent;
use super::vocabulary::KycEventKind;

/// The same as in `docs/webhooks.md`.
const TEST_VECTOR: &str = "\
A test vector, whatever the event. Secret: `whsec_cGFyYWZhIHB1Ymxpc2hlZCB0ZXN0IHZlY3RvciBrZXk=`; webhook-id: \
`0192c3d4-e5f6-7a8b-9c0d-1e2f3a4b5c6d`; webhook-timestamp: `1790000000`; body, one line without a line \
end: `{\"event\":\"signing.completed\",\"signingId\":\"0192c3d4-0000-7000-8000-000000000001\",\
\"status\":\"completed\",\"externalId\":null,\"occurredAt\":\"2026-09-21T14:13:20.000Z\",\
\"completionMode\":\"qes_ceremony\"}`. X-Service-Signature: \
`sha256=72bbd234b347bb960eeaa3b056dae1f21b780a7cd9e7d63bca26d64cfa9e7190`; webhook-signature: \
`v1,LOKb4NgAptZXcHvzU+wgrftumxMzZmPghSDAINyNnOc=`.";

/// One webhook for each kind of event, by its name.
#[must_use]
pub fn webhooks(schemas: &mut Schemas) -> Map<String, Value> {
    let event = schemas.of::<KycEvent>();
    KycEventKind::ALL
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({"post": webhook(*kind, &event)})))
        .collect()
}

fn webhook(kind: KycEventKind, event: &Value) -> Value {
    let (id, summary) = match kind {
        KycEventKind::Delivered => ("onKycDelivered", "The package is delivered"),
        KycEventKind::IdentityMismatch => ("onKycIdentityMismatch", "Somebody else signed"),
        KycEventKind::Refused => ("onKycRefused", "The order was refused"),
        KycEventKind::Expired => ("onKycExpired", "Nobody signed in time"),
        KycEventKind::Failed => ("onKycFailed", "The service could not do it"),
    };
    let headers = [
        (
            "X-Service-Signature",
            "sha256= and the HMAC-SHA256 of the raw body in hexadecimal digits, keyed with the text of the webhook secret, `whsec_` included.",
        ),
        (
            "X-Service-Idempotency-Key",
            "The same for every delivery of one event.",
        ),
        ("X-Service-Event", "The kind of the event."),
        (
            "webhook-id",
            "As Standard Webhooks has it; the same for every delivery of one event.",
        ),
        (
            "webhook-timestamp",
            "Seconds since 1970 at which this delivery was signed. Refuse one that is more than five minutes off.",
        ),
        (
            "webhook-signature",
            "v1, a comma and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops, keyed with the bytes that the base64 after `whsec_` in the webhook secret stands for; several are separated by spaces.",
        ),
    ];
    let headers = headers.map(|(name, description)| {
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": {"type": "string"},
        })
    });
    let posted = "Posted to callbackUrl. Verify a signature before acting on it; polling the order always works too.";
    let description = match kind {
        KycEventKind::Delivered => format!("{posted}\n\n{TEST_VECTOR}"),
        _ => posted.to_owned(),
    };
    json!({
        "operationId": id,
        "summary": summary,
        "description": description,
        "tags": [ABOUT_KYC.name],
        "security": [],
        "parameters": headers,
        "requestBody": {
            "required": true,
            "content": {
                "application/json": {
                    "schema": {"allOf": [
                        event,
                        {"properties": {"event": {"type": "string", "const": kind.as_str()}}},
                    ]},
                    "example": examples::event(kind.as_str()),
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
