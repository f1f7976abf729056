use parafa_api_signing::{SigningEventKind, views as api};
use parafa_platform::outbox::NoticeRow;

use super::views::{completion_mode, output, signer_status, signing_status};
use crate::WorkflowError;
use crate::records::{EventKind, EventPayload, EventSigner, Output};

/// Writes what the signing API posts to webhooks.
pub fn event_body(
    notice: &NoticeRow,
    kind: EventKind,
    payload: &EventPayload,
) -> Result<Vec<u8>, WorkflowError> {
    let document = payload.document.as_ref().map(|document| {
        output(Output {
            version: &document.version,
            simulated: document.simulated,
        })
    });
    let event = api::SigningEvent {
        event: event_kind(kind),
        signing_id: notice.subject.into(),
        status: signing_status(payload.status),
        external_id: payload.external_id.clone(),
        occurred_at: notice.occurred_at,
        completion_mode: payload.completion_mode.map(completion_mode),
        signer: payload.signer.as_ref().map(signer),
        document: document.transpose()?,
    };
    serde_json::to_vec(&event).map_err(|_| WorkflowError::Inconsistent("an event is no JSON"))
}

fn event_kind(kind: EventKind) -> SigningEventKind {
    match kind {
        EventKind::Cancelled => SigningEventKind::Cancelled,
        EventKind::Completed => SigningEventKind::Completed,
        EventKind::Declined => SigningEventKind::Declined,
        EventKind::Expired => SigningEventKind::Expired,
        EventKind::Failed => SigningEventKind::Failed,
        EventKind::SignerDeclined => SigningEventKind::SignerDeclined,
        EventKind::SignerSigned => SigningEventKind::SignerSigned,
    }
}

fn signer(signer: &EventSigner) -> api::EventSigner {
    api::EventSigner {
        signer_id: signer.id.into(),
        email: signer.email.clone(),
        status: signer_status(signer.status),
        decline_reason: signer.decline_reason.clone(),
    }
}
