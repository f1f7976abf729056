//! What the service posts to a signing's webhook address.

use parafa_api_http::webhooks::{Event, EventPost, TEST_VECTOR};
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

/// The kinds of events, for the list of those of all APIs.
pub(crate) fn events() -> Vec<Event> {
    let kinds = SigningEventKind::ALL.iter();
    let event = |&(name, kind): &(&'static str, SigningEventKind)| Event {
        name,
        summary: told(kind).1,
    };
    kinds.map(event).collect()
}

/// The id of the operation, and what happened.
fn told(kind: SigningEventKind) -> (&'static str, &'static str) {
    match kind {
        SigningEventKind::SignerSigned => ("onSignerSigned", "A signer signed"),
        SigningEventKind::SignerDeclined => ("onSignerDeclined", "A signer declined"),
        SigningEventKind::Completed => ("onSigningCompleted", "Every signer signed"),
        SigningEventKind::Declined => ("onSigningDeclined", "The signing was declined"),
        SigningEventKind::Cancelled => ("onSigningCancelled", "The signing was cancelled"),
        SigningEventKind::Expired => ("onSigningExpired", "The hard deadline passed"),
        SigningEventKind::Failed => ("onSigningFailed", "The signing failed"),
    }
}

fn webhook(kind: SigningEventKind, event: &Value) -> Value {
    let (id, summary) = told(kind);
    let posted = "Posted to webhookUrl. Verify a signature before acting on it; polling the signing always works too.";
    let description = match kind {
        SigningEventKind::Completed => format!("{posted}\n\n{TEST_VECTOR}"),
        _ => posted.to_owned(),
    };
    let post = EventPost {
        kind: kind.as_str(),
        operation_id: id,
        summary,
        description,
        tag: EVENTS.name,
        body: event,
        further: json!({
            "properties": {"event": {"type": "string", "const": kind.as_str()}},
            "required": members(kind),
        }),
        example: examples::event(kind),
    };
    post.operation()
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
