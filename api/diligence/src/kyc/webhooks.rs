//! What the service posts to an order's callback.

use parafa_api_http::webhooks::{Event, EventPost, TEST_VECTOR};
use parafa_api_http::{Schemas, WireName};
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

/// The kinds of events, for the list of those of all APIs.
pub(crate) fn events() -> Vec<Event> {
    let kinds = KycEventKind::ALL.iter();
    let event = |&(name, kind): &(&'static str, KycEventKind)| Event {
        name,
        summary: told(kind).1,
    };
    kinds.map(event).collect()
}

/// The id of the operation, and what happened.
fn told(kind: KycEventKind) -> (&'static str, &'static str) {
    match kind {
        KycEventKind::Delivered => ("onKycDelivered", "The package is delivered"),
        KycEventKind::IdentityMismatch => ("onKycIdentityMismatch", "Somebody else signed"),
        KycEventKind::Refused => ("onKycRefused", "The order was refused"),
        KycEventKind::Expired => ("onKycExpired", "Nobody signed in time"),
        KycEventKind::Failed => ("onKycFailed", "The service could not do it"),
    }
}

fn webhook(kind: KycEventKind, event: &Value) -> Value {
    let (id, summary) = told(kind);
    let posted = "Posted to callbackUrl. Verify a signature before acting on it; polling the order always works too.";
    let description = match kind {
        KycEventKind::Delivered => format!("{posted}\n\n{TEST_VECTOR}"),
        _ => posted.to_owned(),
    };
    let post = EventPost {
        kind: kind.as_str(),
        operation_id: id,
        summary,
        description,
        tag: ABOUT_KYC.name,
        body: event,
        further: json!({"properties": {"event": {"type": "string", "const": kind.as_str()}}}),
        example: examples::event(kind.as_str()),
    };
    post.operation()
}
