//! Automatic erasure of signings at the end of their workspace's retention.

use jiff::{SignedDuration, Timestamp};
use parafa_platform::accounts::{Caller, KeyMode, Product, Role};
use parafa_platform::jobs::{TIMERS, hold};
use parafa_platform::networks::Networks;
use parafa_platform::retention::{RetentionRow, kept_days};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, Store, StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Ceremonies;
use crate::error::CeremonyError;
use crate::forms::days_after;
use crate::metrics;
use crate::records::{CEREMONIES_TO_ERASE, CeremonyRow};

/// Kind of the job; each workspace with a retention period has one.
pub const ERASE_KEPT: &str = "erase-kept-signings";

/// Interval between checks of a workspace's signings.
const BETWEEN_LOOKS: SignedDuration = SignedDuration::from_hours(1);
/// Signings erased per check; the next one follows at once.
const AT_ONCE: usize = 100;

#[derive(Deserialize, Serialize)]
struct Payload {
    tenant: Uuid,
}

/// Schedules the checks of a workspace's signings, from now on.
///
/// # Errors
/// When the store fails.
pub async fn schedule(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<(), StoreError> {
    let (payload, now) = (serde_json::json!(Payload { tenant }), tx.now());
    jobs::schedule(tx, (TIMERS, ERASE_KEPT), tenant, now, payload).await?;
    jobs::hasten(tx, TIMERS, &jobs::unique_key(ERASE_KEPT, tenant), now).await?;
    Ok(())
}

/// Returns when signings are erased automatically, in order; `None` for those that are open,
/// erased or on hold.
///
/// # Errors
/// When the store fails.
pub async fn erasures(
    store: &Store,
    rows: &[&CeremonyRow],
) -> Result<Vec<Option<Timestamp>>, StoreError> {
    store
        .read(|tx| {
            Box::pin(async move {
                let mut erasures = Vec::with_capacity(rows.len());
                for row in rows {
                    erasures.push(erased_by_itself(tx, row).await?);
                }
                Ok(erasures)
            })
        })
        .await
}

/// Returns when a signing is erased automatically.
pub(crate) async fn erased_by_itself(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<Option<Timestamp>, StoreError> {
    let ended = row.ceremony.ended_at.filter(|_| row.erased_at.is_none());
    let Some(ended) = ended else {
        return Ok(None);
    };
    let days = kept_days(tx, row.tenant, row.ceremony.id.uuid()).await?;
    Ok(days.map(|days| days_after(ended, days)))
}

impl Ceremonies {
    /// Erases the signings of a workspace at the end of their retention, and reschedules itself
    /// as long as there is a retention period.
    ///
    /// # Errors
    /// When the store fails. A signing that cannot be erased now is retried.
    pub async fn erase_kept(&self, job: &mut ClaimedJob) -> Result<(), CeremonyError> {
        let Payload { tenant } = job.payload()?;
        let store = &self.records.store;
        let has_more = hold(store, job, self.erase_of(tenant)).await??;
        let job = &*job;
        store
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    if tx.get::<RetentionRow>(&tenant).await?.is_none() {
                        return Ok(jobs::complete(tx, job).await?);
                    }
                    let pause = match has_more {
                        true => SignedDuration::ZERO,
                        false => BETWEEN_LOOKS,
                    };
                    Ok::<_, CeremonyError>(jobs::retry(tx, job, shifted(now, pause)).await?)
                })
            })
            .await
    }

    /// Erases a workspace's signings at the end of their retention; returns whether there are
    /// more.
    async fn erase_of(&self, tenant: Uuid) -> Result<bool, CeremonyError> {
        let mut has_more = false;
        for mode in [KeyMode::Live, KeyMode::Test] {
            let caller = Caller {
                key: Uuid::nil(),
                product: Product::Signing,
                tenant,
                mode,
                role: Role::Owner,
                networks: Networks::ANY,
                claim: None,
            };
            let due = self.kept_long_enough(&caller).await?;
            let mut erased = 0;
            for id in &due {
                erased += usize::from(self.erase_by_itself(&caller, *id).await);
            }
            has_more |= due.len() == AT_ONCE && erased > 0;
        }
        Ok(has_more)
    }

    async fn erase_by_itself(&self, caller: &Caller, id: Uuid) -> bool {
        match self.erase_unless_kept(caller, id).await {
            Ok(false) => false,
            Ok(true) => {
                tracing::info!(signing.id = %id, tenant.id = %caller.tenant, "a signing has reached the end of its retention period and is erased");
                metrics::erased_by_itself("erased");
                true
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(signing.id = %id, error, "a signing past its retention period could not be erased");
                metrics::erased_by_itself("failed");
                false
            }
        }
    }

    /// Returns the first signings to be erased now.
    async fn kept_long_enough(&self, caller: &Caller) -> Result<Vec<Uuid>, CeremonyError> {
        let key = &(caller.tenant, caller.mode == KeyMode::Live);
        let mut due = Vec::new();
        let mut page = Page::oldest(MAX_PAGE_ROWS);
        loop {
            let this = &page;
            let read = self.records.store.read(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let Some(kept) = tx.get::<RetentionRow>(&key.0).await? else {
                        return Ok((Vec::new(), None));
                    };
                    let found = tx.page_by(&CEREMONIES_TO_ERASE, key, this, Guard::none());
                    let found = found.await?;
                    let is_due = |since: Timestamp| days_after(since, kept.days) <= now;
                    let id = |row: &CeremonyRow| row.ceremony.id.uuid();
                    let rows = found.rows.iter();
                    let ended = rows.filter(|row| row.ceremony.ended_at.is_some_and(is_due));
                    let ended: Vec<Uuid> = ended.map(id).collect();
                    // Later rows were created later, and have ended later still.
                    let last = found.rows.last();
                    let last = last.filter(|row| found.more && is_due(row.ceremony.created_at));
                    let next = last.map(id);
                    let mut due = Vec::new();
                    for id in ended {
                        if kept_days(tx, key.0, id).await?.is_some() {
                            due.push(id);
                        }
                    }
                    Ok::<_, CeremonyError>((due, next))
                })
            });
            let (ids, next) = read.await?;
            due.extend(ids);
            due.truncate(AT_ONCE);
            match next {
                Some(next) if due.len() < AT_ONCE => page = page.after(next),
                _ => return Ok(due),
            }
        }
    }
}
