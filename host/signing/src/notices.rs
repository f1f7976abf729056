//! What is told outside of a signing, noted in the commit that it is about.

use parafa_domain::{SignerId, SignerStatus, SigningEvent};
use parafa_platform::accounts::Product;
use parafa_platform::outbox::{self, NoticeKind, NoticeRow, Subject, deliver, send};
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use serde::Serialize;
use uuid::Uuid;

use super::history::record_events;
use super::sealing;
use crate::error::WorkflowError;
use crate::records::{
    Delivery, EventDocument, EventKind, EventPayload, EventSigner, MailKind, MailPayload,
    SignerPrivate, SignerPrivateRow, SigningPrivate, SigningRow,
};

/// Appends each transition to the audit trail, and notes what is to be told of
/// it: to the webhook, and to a signer whose turn has come.
pub(super) async fn record(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    events: &[SigningEvent],
) -> Result<(), WorkflowError> {
    record_events(tx, row.signing.id.uuid(), events).await?;
    // The last event told; the next one leaves after it.
    let mut before = None;
    for event in events {
        if let SigningEvent::SignerReleased(signer) = *event {
            mail(tx, key, row, signer, MailKind::Invitation).await?;
        }
        if let Some(event) = Event::of(*event) {
            before = tell(tx, key, row, event, before).await?;
        }
    }
    Ok(())
}

/// What a webhook is told of.
struct Event {
    kind: EventKind,
    signer: Option<SignerId>,
}

impl Event {
    fn of(event: SigningEvent) -> Option<Self> {
        let (kind, signer) = match event {
            SigningEvent::SignerReleased(_) => return None,
            SigningEvent::Cancelled => (EventKind::Cancelled, None),
            SigningEvent::Completed => (EventKind::Completed, None),
            SigningEvent::Declined => (EventKind::Declined, None),
            SigningEvent::Expired => (EventKind::Expired, None),
            SigningEvent::Failed => (EventKind::Failed, None),
            SigningEvent::SignerDeclined(signer) => (EventKind::SignerDeclined, Some(signer)),
            SigningEvent::SignerSigned(signer) => (EventKind::SignerSigned, Some(signer)),
        };
        Some(Self { kind, signer })
    }
}

/// Has a party of `row` mailed, if links are delivered so.
pub(super) async fn mail(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<(), WorkflowError> {
    if row.delivery == Delivery::Email {
        let notice = note_mail(tx, key, row, signer, kind).await?;
        send(tx, &[notice]).await?;
    }
    Ok(())
}

/// Has a party mailed, however links are delivered.
pub(super) async fn mail_anyway(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<(), WorkflowError> {
    let notice = note_mail(tx, key, row, signer, kind).await?;
    Ok(send(tx, &[notice]).await?)
}

/// Notes a mail without having it sent.
pub(super) async fn note_mail(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<Uuid, WorkflowError> {
    let payload = mail_payload(tx, key, row, signer).await?;
    let about = (kind.notice(), Some(signer));
    let mail = notice(tx, (row.data_key, key), row, about, &payload).await?;
    Ok(mail.id)
}

/// Has a party mailed that a signing which is being erased asks for nothing any
/// more, under a key of the letter's own.
pub(super) async fn retract_erased(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    own: (Uuid, &DataKey),
    row: &SigningRow,
    signer: SignerId,
) -> Result<(), WorkflowError> {
    let payload = mail_payload(tx, key, row, signer).await?;
    let about = (MailKind::Retraction.notice(), Some(signer));
    let mail = notice(tx, own, row, about, &payload).await?;
    Ok(send(tx, &[mail.id]).await?)
}

async fn mail_payload(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    signer: SignerId,
) -> Result<MailPayload, WorkflowError> {
    let about = private_of(key, row)?;
    let party = signer_private(tx, key, signer.uuid()).await?;
    let language = row.signing.signer(signer).map(|party| party.language);
    let language = language.ok_or(WorkflowError::Inconsistent(
        "a mail's addressee is not in its signing",
    ))?;
    Ok(MailPayload {
        email: party.email,
        name: party.name,
        language,
        title: about.title,
        document_name: about.document_name,
    })
}

/// The last word on a signing that is being erased: what happened and when,
/// and nothing that says what it was about, under a key of the notice's own.
pub(super) async fn tell_of_erased(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    target: String,
    row: &SigningRow,
    kind: EventKind,
) -> Result<(), WorkflowError> {
    let payload = EventPayload {
        target,
        status: row.signing.status,
        external_id: None,
        completion_mode: None,
        signer: None,
        document: None,
    };
    let event = Event { kind, signer: None };
    let notice = event_notice(tx, own, row, &event, &payload).await?;
    Ok(deliver(tx, notice.id).await?)
}

/// What is sealed in a signing that is not erased.
pub(super) fn private_of(key: &DataKey, row: &SigningRow) -> Result<SigningPrivate, WorkflowError> {
    let sealed = row.private.as_ref().ok_or(WorkflowError::NotFound)?;
    sealing::open_signing(key, row.signing.id.uuid(), sealed)
}

/// What is sealed about a party.
pub(super) async fn signer_private(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    signer: Uuid,
) -> Result<SignerPrivate, WorkflowError> {
    let row = tx.get::<SignerPrivateRow>(&signer).await?;
    let row = row.ok_or(WorkflowError::Inconsistent("a signer has no row"))?;
    sealing::open_signer(key, signer, &row.private)
}

/// Has the webhook told, if there is one, once it was told of `before`; gives
/// the notice.
async fn tell(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    event: Event,
    before: Option<NoticeRow>,
) -> Result<Option<NoticeRow>, WorkflowError> {
    let about = private_of(key, row)?;
    let Some(target) = about.webhook_url else {
        return Ok(None);
    };
    let party = match event.signer {
        Some(id) => Some(event_signer(tx, key, row, id).await?),
        None => None,
    };
    let is_completed = event.kind == EventKind::Completed;
    let payload = EventPayload {
        target,
        status: row.signing.status,
        external_id: about.external_id,
        completion_mode: row.signing.completion_mode.filter(|_| is_completed),
        signer: party,
        document: row.output().map(|output| EventDocument {
            version: output.version.clone(),
            simulated: output.simulated,
        }),
    };
    let notice = event_notice(tx, (row.data_key, key), row, &event, &payload).await?;
    match before {
        Some(mut before) => {
            before.next = Some(notice.id);
            tx.put(&before).await?;
        }
        None => deliver(tx, notice.id).await?,
    }
    Ok(Some(notice))
}

async fn event_notice(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    row: &SigningRow,
    event: &Event,
    payload: &EventPayload,
) -> Result<NoticeRow, WorkflowError> {
    let kind = event.kind.notice();
    notice(tx, own, row, (kind, event.signer), payload).await
}

/// Stores a notice about a signing.
async fn notice<T: Serialize>(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    row: &SigningRow,
    (kind, signer): (NoticeKind, Option<SignerId>),
    payload: &T,
) -> Result<NoticeRow, WorkflowError> {
    let about = Subject {
        tenant: row.tenant,
        product: Product::Signing,
        id: row.signing.id.uuid(),
        party: signer.map(SignerId::uuid),
    };
    Ok(outbox::note(tx, own, about, kind, payload).await?)
}

async fn event_signer(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &SigningRow,
    id: SignerId,
) -> Result<EventSigner, WorkflowError> {
    let private = signer_private(tx, key, id.uuid()).await?;
    let status = row.signing.signer(id).map(|party| party.status);
    let status: SignerStatus = status.ok_or(WorkflowError::Inconsistent(
        "an event's signer is not in its signing",
    ))?;
    Ok(EventSigner {
        id: id.uuid(),
        email: private.email,
        status,
        decline_reason: private.decline_reason,
    })
}
