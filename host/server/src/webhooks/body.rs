use parafa_api_signing::views::SignedDocument;
use parafa_domain::{CompletionMode, SignerStatus, SigningStatus};
use serde::Serialize;
use uuid::Uuid;

use crate::error::WorkflowError;
use crate::records::{EventDocument, EventKind, EventPayload, EventSigner, NoticeKind, NoticeRow};

/// The body of a delivery; the same on every attempt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    event: EventKind,
    signing_id: Uuid,
    status: SigningStatus,
    external_id: Option<&'a str>,
    occurred_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_mode: Option<CompletionMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<Signer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<SignedDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Signer<'a> {
    signer_id: Uuid,
    email: &'a str,
    status: SignerStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    decline_reason: Option<&'a str>,
}

/// What a webhook is posted.
pub(super) fn body(notice: &NoticeRow, payload: &EventPayload) -> Result<Vec<u8>, WorkflowError> {
    let NoticeKind::Webhook(event) = notice.kind else {
        return Err(WorkflowError::Inconsistent("a mail is no event"));
    };
    let event = Event {
        event,
        signing_id: notice.signing,
        status: payload.status,
        external_id: payload.external_id.as_deref(),
        occurred_at: format!("{:.3}", notice.occurred_at),
        completion_mode: payload.completion_mode,
        signer: payload.signer.as_ref().map(signer),
        document: payload.document.as_ref().map(document).transpose()?,
    };
    serde_json::to_vec(&event).map_err(|_| WorkflowError::Inconsistent("an event is no JSON"))
}

fn signer(signer: &EventSigner) -> Signer<'_> {
    Signer {
        signer_id: signer.id,
        email: &signer.email,
        status: signer.status,
        decline_reason: signer.decline_reason.as_deref(),
    }
}

fn document(document: &EventDocument) -> Result<SignedDocument, WorkflowError> {
    let EventDocument { version, simulated } = document;
    let mut digest = [0; 32];
    hex::decode_to_slice(&version.sha256, &mut digest)
        .map_err(|_| WorkflowError::Inconsistent("a version's digest is not one"))?;
    let view = if *simulated {
        SignedDocument::simulated
    } else {
        SignedDocument::signed
    };
    Ok(view(&digest, version.bytes, version.media_type.as_str()))
}
