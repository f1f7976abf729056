//! What the service posts to an order's callback.

use parafa_api_http::{Schemas, WireName, webhooks};
use serde_json::{Map, Value, json};

use super::examples;
use super::operations::ABOUT_KYC;
use super::views::KycEvent;
use super::vocabulary::KycEventKind;

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
    let posted = "Posted to callbackUrl. Verify a signature before acting on it; polling the order always works too.";
    let description = match kind {
        KycEventKind::Delivered => format!("{posted}\n\n{}", webhooks::TEST_VECTOR),
        _ => posted.to_owned(),
    };
    json!({
        "operationId": id,
        "summary": summary,
        "description": description,
        "tags": [ABOUT_KYC.name],
        "security": [],
        "parameters": webhooks::parameters(kind.as_str()),
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
        "responses": webhooks::responses(),
    })
}
