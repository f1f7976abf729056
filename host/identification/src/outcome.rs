//! Consequences of an order's end, stored in its commit.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{KycOrder, KycStatus};
use parafa_platform::accounts::Product;
use parafa_platform::jobs::TIMERS;
use parafa_platform::outbox::{self, Subject, deliver};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, Lane};
use parafa_store::keys::DataKey;
use parafa_store::{StoreError, Transaction, audit};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::IdentificationError;
use crate::records::{OrderRow, OutcomePayload, event_name, notice_kind};

/// The lane of verifications, which wait for registers and for the attorney's
/// key.
pub const IDENTIFICATIONS: Lane = Lane::new("identifications");
/// Kind of the job that verifies a subject's signature.
pub const VERIFY: &str = "verify-identification";
/// Kind of the job that removes what an ended order no longer needs.
pub const CLOSE: &str = "close-identification";

/// Kind of the job that erases an order at the end of its retention, and finishes
/// an interrupted erasure.
pub const ERASE: &str = "erase-identification";

/// Retention of an ended ceremony, in which the signer may still look at it, and
/// questions may arise.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// The order of a job.
#[derive(Deserialize, Serialize)]
pub(crate) struct Payload {
    pub(crate) order: Uuid,
}

/// Schedules the verification of the subject's signature.
pub(crate) async fn schedule_verification(
    tx: &mut Transaction<'_>,
    order: Uuid,
) -> Result<(), StoreError> {
    let now = tx.now();
    schedule(tx, (IDENTIFICATIONS, VERIFY), order, now).await
}

/// Stores an order after a transition. At its end, also stores the callback,
/// sealed under the order's `key`, and the job that cleans up. An unreadable
/// order ends too, but without a callback, whose address is sealed.
pub(crate) async fn store(
    tx: &mut Transaction<'_>,
    key: Option<&DataKey>,
    row: &mut OrderRow,
) -> Result<(), IdentificationError> {
    let status = row.order.status();
    let Some(event) = event_name(status) else {
        return Ok(tx.put(row).await?);
    };
    row.evidence = None;
    tx.put(row).await?;
    audit::append(tx, row.id, event, audit::Fields::new()).await?;
    if let Some(key) = key
        && let Some(target) = callback_of(row, key)
    {
        let payload = OutcomePayload {
            target,
            status,
            refusal: row.order.refusal(),
            entity: row.entity.clone(),
            artifact: row
                .delivered
                .as_ref()
                .map(|package| package.artifact.clone()),
        };
        let about = Subject {
            tenant: row.tenant,
            product: Product::Diligence,
            mode: row.mode,
            id: row.id,
            party: None,
        };
        let kind = notice_kind(event);
        let notice = outbox::note(tx, (row.data_key, key), about, kind, &payload).await?;
        deliver(tx, notice.id).await?;
    }
    let due = shifted(tx.now(), KEPT);
    schedule(tx, (TIMERS, CLOSE), row.id, due).await?;
    Ok(())
}

fn callback_of(row: &OrderRow, key: &DataKey) -> Option<String> {
    match row.unseal(key) {
        Ok(private) => private.callback_url,
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::error!(order.id = %row.id, error, "an order ends without a callback");
            None
        }
    }
}

/// Returns an order as shown: one that waits for its subject ends with its
/// ceremony, whose deadline may have passed before its job ran.
pub(crate) fn shown(order: KycOrder, ceremony_is_over: bool, now: Timestamp) -> KycOrder {
    let mut shown = order;
    if order.status() == KycStatus::AwaitingSubject && ceremony_is_over {
        let _ = shown.expire(now);
    }
    shown
}

/// Schedules a job of an order, unless there is one of its kind.
pub(crate) async fn schedule(
    tx: &mut Transaction<'_>,
    kind: (Lane, &str),
    order: Uuid,
    due: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!(Payload { order });
    jobs::schedule(tx, kind, order, due, payload).await
}
