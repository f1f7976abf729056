//! What is told outside, stored by the commit that it is about. Delivering it
//! is a job's; one that is never delivered changes no signing.

use parafa_domain::{SignerId, SignerStatus, SigningEvent};
use parafa_store::jobs::{self, Hastened, NewJob};
use parafa_store::keys::DataKey;
use parafa_store::{StoreError, Transaction};
use serde::Serialize;
use uuid::Uuid;

use super::history::record_events;
use super::lanes::{DELIVERIES, LETTERS};
use super::sealing;
use crate::error::WorkflowError;
use crate::records::{
    Delivery, EventDocument, EventKind, EventPayload, EventSigner, MailKind, MailPayload,
    NoticeKind, NoticeRow, SignerPrivate, SignerPrivateRow, SigningPrivate, SigningRow,
};

/// The kind of the job that tells a webhook; its payload names one notice.
pub(crate) const DELIVER: &str = "deliver-event";
/// The kind of the job that sends a mail; its payload names the notices that
/// go into it, all of them to one party.
pub(crate) const MAIL: &str = "send-mail";

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
        if let Some(told) = Told::of(*event) {
            before = tell(tx, key, row, told, before).await?;
        }
    }
    Ok(())
}

/// What a webhook is told of.
struct Told {
    kind: EventKind,
    signer: Option<SignerId>,
}

impl Told {
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
    send(tx, &[notice]).await
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
    let about = (NoticeKind::Mail(kind), Some(signer));
    let mail = notice(tx, (row.data_key, key), row, about, &payload)?;
    tx.insert(&mail).await?;
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
    let about = (NoticeKind::Mail(MailKind::Retraction), Some(signer));
    let mail = notice(tx, own, row, about, &payload)?;
    tx.insert(&mail).await?;
    send(tx, &[mail.id]).await
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

/// Has one mail sent of these notices.
pub(super) async fn send(tx: &mut Transaction<'_>, notices: &[Uuid]) -> Result<(), WorkflowError> {
    let job = NewJob {
        lane: LETTERS,
        kind: MAIL.to_owned(),
        due: tx.now(),
        unique: None,
        payload: serde_json::json!({ "notices": notices }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
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
    let told = Told { kind, signer: None };
    let event = event_notice(tx, own, row, &told, &payload)?;
    tx.insert(&event).await?;
    Ok(deliver(tx, event.id).await?)
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
    told: Told,
    before: Option<NoticeRow>,
) -> Result<Option<NoticeRow>, WorkflowError> {
    let about = private_of(key, row)?;
    let Some(target) = about.webhook_url else {
        return Ok(None);
    };
    let party = match told.signer {
        Some(id) => Some(event_signer(tx, key, row, id).await?),
        None => None,
    };
    let is_completed = told.kind == EventKind::Completed;
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
    let event = event_notice(tx, (row.data_key, key), row, &told, &payload)?;
    tx.insert(&event).await?;
    match before {
        Some(mut before) => {
            before.next = Some(event.id);
            tx.put(&before).await?;
        }
        None => deliver(tx, event.id).await?,
    }
    Ok(Some(event))
}

fn event_notice(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    row: &SigningRow,
    told: &Told,
    payload: &EventPayload,
) -> Result<NoticeRow, WorkflowError> {
    let kind = NoticeKind::Webhook(told.kind);
    notice(tx, own, row, (kind, told.signer), payload)
}

/// A notice to be stored.
fn notice<T: Serialize>(
    tx: &mut Transaction<'_>,
    (data_key, key): (Uuid, &DataKey),
    row: &SigningRow,
    (kind, signer): (NoticeKind, Option<SignerId>),
    payload: &T,
) -> Result<NoticeRow, WorkflowError> {
    let id = tx.new_id()?;
    Ok(NoticeRow {
        id,
        tenant: row.tenant,
        signing: row.signing.id.uuid(),
        signer: signer.map(SignerId::uuid),
        next: None,
        kind,
        occurred_at: tx.now(),
        data_key,
        payload: sealing::seal_notice(key, id, payload)?,
        made: 0,
        attempts: Vec::new(),
        ended: None,
    })
}

/// Has a webhook told of a notice.
pub(crate) async fn deliver(tx: &mut Transaction<'_>, notice: Uuid) -> Result<(), StoreError> {
    let job = NewJob {
        lane: DELIVERIES,
        kind: DELIVER.to_owned(),
        due: tx.now(),
        unique: Some(unique_key(notice)),
        payload: serde_json::json!({ "notice": notice }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

/// Has a webhook told now of a notice of which it is to be told later.
pub(crate) async fn hasten(tx: &mut Transaction<'_>, notice: Uuid) -> Result<Hastened, StoreError> {
    let now = tx.now();
    jobs::hasten(tx, DELIVERIES, &unique_key(notice), now).await
}

/// The name that keeps a notice's job from being there twice.
fn unique_key(notice: Uuid) -> String {
    format!("{DELIVER}/{notice}")
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
