//! Webhook events of signings, and the other writes of the signing API in the
//! commits of its ceremonies.

use async_trait::async_trait;
use parafa_ceremony::notices::{notice, private_of, signer_private};
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::{CeremonyError, CeremonyOwner, ErasedByOwner, Erasure};
use parafa_domain::{CeremonyEvent, SignerId, SignerStatus};
use parafa_platform::Records;
use parafa_platform::outbox::{NoticeRow, deliver};
use parafa_store::keys::DataKey;
use parafa_store::{Guard, Transaction};
use uuid::Uuid;

use crate::records::{CommentRow, EventDocument, EventKind, EventPayload, EventSigner};
use crate::{batches, done, funding};

/// Comments removed in one commit.
const COMMENTS_AT_ONCE: usize = 500;

/// The signing API as the owner of ceremonies.
pub struct SigningOwner {
    /// The rows with their files and keys.
    pub records: Records,
}

#[async_trait]
impl CeremonyOwner for SigningOwner {
    /// Notes the webhook events, each after the previous one, and adds
    /// signatures to the ledger.
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError> {
        if events.contains(&CeremonyEvent::Completed) {
            done::tell_signers(tx, &self.records.master, key, row).await?;
        }
        batches::held_mails::settle(tx, row).await?;
        // The last event noted; the next one is sent after it.
        let mut before = None;
        for event in events {
            if let CeremonyEvent::SignerSigned(_) = event {
                funding::bill_signature(tx, row).await?;
            }
            if let Some(event) = Event::of(*event) {
                before = tell(tx, key, row, event, before).await?;
            }
        }
        Ok(())
    }

    async fn invite(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        signer: SignerId,
    ) -> Result<bool, CeremonyError> {
        batches::held_mails::hold_invitation(tx, key, row, signer).await
    }

    fn has_final_event(&self, key: &DataKey, row: &CeremonyRow) -> Result<bool, CeremonyError> {
        Ok(private_of(key, row)?.webhook_url.is_some())
    }

    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError> {
        let row = erasure.row;
        batches::held_mails::settle(tx, row).await?;
        let title = batches::forget_title(tx, row).await?;
        let mut erased = ErasedByOwner {
            data_keys: title.into_iter().collect(),
            uses_event_key: false,
        };
        if let (Some(keys), Some(kind)) = (erasure.final_event, final_event(erasure.events))
            && let Some(target) = private_of(keys.ceremony, row)?.webhook_url
        {
            tell_of_erased(tx, keys.event, target, row, kind).await?;
            erased.uses_event_key = true;
        }
        Ok(erased)
    }

    async fn finish_erasure(&self, signing: Uuid) -> Result<(), CeremonyError> {
        while self.remove_comments(signing).await? {}
        Ok(())
    }
}

impl SigningOwner {
    async fn remove_comments(&self, signing: Uuid) -> Result<bool, CeremonyError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx
                        .children::<CommentRow>(&(signing,), COMMENTS_AT_ONCE, Guard::none())
                        .await?;
                    for comment in &found.rows {
                        let key = (comment.signing, comment.id);
                        tx.delete::<CommentRow>(&key).await?;
                    }
                    Ok(found.more)
                })
            })
            .await
    }
}

fn final_event(events: &[CeremonyEvent]) -> Option<EventKind> {
    events.iter().find_map(|event| match event {
        CeremonyEvent::Cancelled => Some(EventKind::Cancelled),
        CeremonyEvent::Expired => Some(EventKind::Expired),
        _ => None,
    })
}

/// An event for a webhook.
struct Event {
    kind: EventKind,
    signer: Option<SignerId>,
}

impl Event {
    fn of(event: CeremonyEvent) -> Option<Self> {
        let (kind, signer) = match event {
            CeremonyEvent::SignerReleased(_) => return None,
            CeremonyEvent::Cancelled => (EventKind::Cancelled, None),
            CeremonyEvent::Completed => (EventKind::Completed, None),
            CeremonyEvent::Declined => (EventKind::Declined, None),
            CeremonyEvent::Expired => (EventKind::Expired, None),
            CeremonyEvent::Failed => (EventKind::Failed, None),
            CeremonyEvent::SignerDeclined(signer) => (EventKind::SignerDeclined, Some(signer)),
            CeremonyEvent::SignerSigned(signer) => (EventKind::SignerSigned, Some(signer)),
        };
        Some(Self { kind, signer })
    }
}

/// Notes the last event of a signing that is being erased: what happened and
/// when, without its content, under a separate key of the notice.
async fn tell_of_erased(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    target: String,
    row: &CeremonyRow,
    kind: EventKind,
) -> Result<(), CeremonyError> {
    let payload = EventPayload {
        target,
        status: row.ceremony.status,
        external_id: None,
        completion_mode: None,
        signer: None,
        document: None,
    };
    let event = Event { kind, signer: None };
    let notice = event_notice(tx, own, row, &event, &payload).await?;
    Ok(deliver(tx, notice.id).await?)
}

/// Notes a webhook event, if there is a webhook, to be sent after `before`;
/// returns the notice.
async fn tell(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    event: Event,
    before: Option<NoticeRow>,
) -> Result<Option<NoticeRow>, CeremonyError> {
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
        status: row.ceremony.status,
        external_id: about.external_id,
        completion_mode: row.ceremony.completion_mode.filter(|_| is_completed),
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
    row: &CeremonyRow,
    event: &Event,
    payload: &EventPayload,
) -> Result<NoticeRow, CeremonyError> {
    let kind = event.kind.notice();
    notice(tx, own, row, (kind, event.signer), payload).await
}

async fn event_signer(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    id: SignerId,
) -> Result<EventSigner, CeremonyError> {
    let private = signer_private(tx, key, id.uuid()).await?;
    let status = row.ceremony.signer(id).map(|party| party.status);
    let status: SignerStatus = status.ok_or(CeremonyError::Inconsistent(
        "an event's signer is not in its signing",
    ))?;
    Ok(EventSigner {
        id: id.uuid(),
        email: private.email,
        status,
        decline_reason: private.decline_reason,
    })
}
