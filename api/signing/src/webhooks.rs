//! What the service posts to a signing's webhook address.

use parafa_api_http::{Schemas, WireName, webhooks};
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
    let posted = "Posted to webhookUrl. Verify a signature before acting on it; polling the signing always works too.";
    let description = match kind {
        SigningEventKind::Completed => format!("{posted}\n\n{}", webhooks::TEST_VECTOR),
        _ => posted.to_owned(),
    };
    json!({
        "operationId": id,
        "summary": summary,
        "description": description,
        "tags": [EVENTS.name],
        "security": [],
        "parameters": webhooks::parameters(kind.as_str()),
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
        "responses": webhooks::responses(),
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
