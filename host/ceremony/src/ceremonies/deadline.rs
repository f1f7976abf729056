//! The hard deadline of a ceremony.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::CeremonyStatus;
use parafa_platform::accounts::Caller;
use parafa_platform::jobs::TIMERS;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_store::{StoreError, Transaction, audit};
use uuid::Uuid;

use super::Ceremonies;
use crate::change;
use crate::error::{CeremonyError, unless_unreadable};
use crate::forms::days_after;
use crate::reader::UnsealedCeremony;
use crate::records::{CeremonyJob, CeremonyRow};

/// Kind of the job.
pub const EXPIRE: &str = "expire-signing";

/// Interval at which an expired deadline is checked while a device's signature
/// holds it up.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_mins(1);

/// Schedules the job for the deadline.
pub(super) async fn schedule(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), StoreError> {
    let ceremony = row.ceremony.id.uuid();
    let (due, payload) = (
        row.ceremony.expires_at,
        serde_json::json!({ "signing": ceremony }),
    );
    jobs::schedule(tx, (TIMERS, EXPIRE), ceremony, due, payload).await
}

/// Reschedules the job for the deadline, or for now if it has passed: there is no
/// signature to wait for any more. The job may have been postponed beyond that
/// while the clock was ahead.
pub(super) async fn wait_no_longer(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), StoreError> {
    let ceremony = &row.ceremony;
    if ceremony.status == CeremonyStatus::Pending {
        let due = ceremony.expires_at.max(tx.now());
        jobs::hasten(
            tx,
            TIMERS,
            &jobs::unique_key(EXPIRE, ceremony.id.uuid()),
            due,
        )
        .await?;
    }
    Ok(())
}

impl Ceremonies {
    /// Changes the deadline of a ceremony that has not ended.
    pub async fn change_deadline(
        &self,
        caller: &Caller,
        id: Uuid,
        expires_in_days: u16,
    ) -> Result<UnsealedCeremony, CeremonyError> {
        let row = self.reader.row_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(CeremonyError::SigningEnded(row.ceremony.status));
        }
        let key = self.reader.key_to(&row).await?;
        let (under, caller) = (&key, *caller);
        let opened = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let mut row = change::changeable(tx, &caller, id).await?;
                    row.ceremony
                        .change_deadline(days_after(now, expires_in_days), now)
                        .map_err(|_| CeremonyError::SigningEnded(row.ceremony.status))?;
                    tx.put(&row).await?;
                    jobs::cancel(tx, TIMERS, &jobs::unique_key(EXPIRE, id)).await?;
                    schedule(tx, &row).await?;
                    let fields = audit::Fields::new().reference("until", row.ceremony.expires_at);
                    audit::append(tx, id, "signing.deadline_changed", fields).await?;
                    UnsealedCeremony::read(tx, under, row).await
                })
            })
            .await?;
        self.changes.announce(id);
        Ok(opened)
    }

    /// Ends a ceremony whose deadline has passed. If its sealed content is
    /// unreadable, it ends nevertheless, and no webhook is sent: its URL is
    /// sealed too.
    pub async fn expire_due(&self, job: &ClaimedJob) -> Result<(), CeremonyError> {
        let CeremonyJob { ceremony } = job.payload()?;
        let expired = match self.reader.key(ceremony).await {
            Ok(key) => self.expire(job, ceremony, key.as_ref()).await,
            Err(error) => Err(error),
        };
        let what = "a signing that cannot be read expires";
        if unless_unreadable(expired, ceremony, what)?.is_none() {
            self.expire(job, ceremony, None).await?;
        }
        self.announce(ceremony);
        Ok(())
    }

    async fn expire(
        &self,
        job: &ClaimedJob,
        ceremony: Uuid,
        key: Option<&DataKey>,
    ) -> Result<(), CeremonyError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let row = tx.get::<CeremonyRow>(&ceremony).await?;
                    let Some(mut row) = row.filter(|row| row.erased_at.is_none()) else {
                        return Ok(jobs::complete(tx, job).await?);
                    };
                    let before = row.ceremony.clone();
                    let events = row.ceremony.expire(now);
                    if let Some(later) = next_look(&row, now) {
                        return Ok(jobs::retry(tx, job, later).await?);
                    }
                    match key {
                        _ if events.is_empty() => {}
                        Some(key) => {
                            change::store(tx, &self.owners, key, &before, &row, &events).await?;
                        }
                        None => change::store_untold(tx, &row, &events).await?,
                    }
                    Ok::<_, CeremonyError>(jobs::complete(tx, job).await?)
                })
            })
            .await
    }
}

fn next_look(row: &CeremonyRow, now: Timestamp) -> Option<Timestamp> {
    if row.ceremony.status != CeremonyStatus::Pending {
        return None;
    }
    Some(row.ceremony.expires_at.max(shifted(now, LOOK_AGAIN)))
}
