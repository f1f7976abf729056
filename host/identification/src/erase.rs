//! Erasure of orders. A day after the end everything except the container is
//! erased; the container is erased on request, or after the operator's retention
//! period.

use jiff::Timestamp;
use parafa_ceremony::CeremonyError;
use parafa_platform::accounts::{Caller, Product, Role as UserRole};
use parafa_platform::jobs::TIMERS;
use parafa_platform::networks::Networks;
use parafa_platform::{idempotency, outbox};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, HastenOutcome};
use parafa_store::{Table, Transaction, audit};
use uuid::Uuid;

use crate::Identifications;
use crate::error::IdentificationError;
use crate::outcome::{self, ERASE, Payload};
use crate::records::{IdentifiedRow, OrderRow};

impl Identifications {
    /// Erases an order that has ended; returns whether there was anything to
    /// erase.
    ///
    /// # Errors
    /// [`IdentificationError::NotFound`], [`IdentificationError::NotEnded`].
    /// Content that cannot be removed now is removed by a job, and the call
    /// fails.
    pub async fn erase(&self, caller: &Caller, id: Uuid) -> Result<bool, IdentificationError> {
        let order = self.order(caller, id).await?;
        if !order.status.is_terminal() {
            return Err(IdentificationError::NotEnded(order.status));
        }
        let changed = self.erase_ended(id).await?;
        // The job would find nothing to do.
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    jobs::cancel(tx, TIMERS, &jobs::unique_key(ERASE, id)).await?;
                    Ok::<_, IdentificationError>(())
                })
            })
            .await?;
        Ok(changed)
    }

    /// Erases an order at the end of its container's retention, or finishes an
    /// interrupted erasure.
    ///
    /// # Errors
    /// Content that cannot be removed now.
    pub async fn erase_due(&self, job: &mut ClaimedJob) -> Result<(), IdentificationError> {
        let Payload { order } = job.payload()?;
        let Some(row) = self.records.store.get::<OrderRow>(&order).await? else {
            return Ok(self.records.complete(job).await?);
        };
        if row.erased_at.is_none() {
            let now = self.records.store.now().await?;
            match self.erased_by_itself(&row) {
                // The setting has changed since.
                None => return Ok(self.records.complete(job).await?),
                Some(due) if due > now => return self.wait_until(job, due).await,
                Some(_) => {}
            }
        }
        self.erase_ended(order).await?;
        Ok(self.records.complete(job).await?)
    }

    /// Removes what an ended order no longer needs: its ceremony, with the
    /// dossier, signed or not, and the sealed content of its row.
    ///
    /// # Errors
    /// Content that cannot be removed now.
    pub async fn close(&self, job: &mut ClaimedJob) -> Result<(), IdentificationError> {
        let Payload { order } = job.payload()?;
        let Some(row) = self.records.store.get::<OrderRow>(&order).await? else {
            return Ok(self.records.complete(job).await?);
        };
        self.erase_ceremony(&row).await?;
        let job = &*job;
        let closed: Result<(), IdentificationError> = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    if let Some(mut row) = tx.get::<OrderRow>(&order).await? {
                        row.private = None;
                        row.holders = None;
                        tx.put(&row).await?;
                        if row.erased_at.is_none()
                            && let Some(due) = self.erased_by_itself(&row)
                        {
                            outcome::schedule(tx, (TIMERS, ERASE), order, due).await?;
                        }
                    }
                    Ok(jobs::complete(tx, job).await?)
                })
            })
            .await;
        closed?;
        if let Some(holders) = row.holders {
            self.records.discard_bytes(holders).await;
        }
        Ok(())
    }

    /// Returns when a delivered order is erased automatically.
    fn erased_by_itself(&self, row: &OrderRow) -> Option<Timestamp> {
        let package = row.delivered.as_ref()?;
        Some(shifted(package.at, self.packages_kept?))
    }

    async fn wait_until(
        &self,
        job: &ClaimedJob,
        due: Timestamp,
    ) -> Result<(), IdentificationError> {
        self.records
            .transact(|tx| Box::pin(async move { Ok(jobs::retry(tx, job, due).await?) }))
            .await
    }

    async fn erase_ceremony(&self, row: &OrderRow) -> Result<(), IdentificationError> {
        let owner = Caller {
            key: Uuid::nil(),
            product: Product::Diligence,
            tenant: row.tenant,
            mode: row.mode,
            role: UserRole::Owner,
            networks: Networks::ANY,
            claim: None,
        };
        match self.ceremonies.erase(&owner, row.ceremony).await {
            Ok(_) | Err(CeremonyError::NotFound) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn erase_ended(&self, id: Uuid) -> Result<bool, IdentificationError> {
        let row = self.records.store.get::<OrderRow>(&id).await?;
        let row = row.ok_or(IdentificationError::NotFound)?;
        self.erase_ceremony(&row).await?;
        let erased: Result<bool, IdentificationError> = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<OrderRow>(&id).await?;
                    let row = row.ok_or(IdentificationError::NotFound)?;
                    if row.erased_at.is_some() {
                        return Ok(false);
                    }
                    erase_row(tx, row).await?;
                    Ok(true)
                })
            })
            .await;
        let erased = erased?;
        self.finish_deletion(id).await?;
        if erased {
            tracing::info!(order.id = %id, "order erased");
            self.announce(id);
        }
        Ok(erased)
    }

    /// Removes keys and bytes permanently. Repeating it is harmless.
    async fn finish_deletion(&self, id: Uuid) -> Result<(), IdentificationError> {
        let row = self.records.store.get::<OrderRow>(&id).await?;
        let Some(pending) = row.and_then(|row| row.pending_deletion) else {
            return Ok(());
        };
        let answers = self.idempotency.remove_answers(id).await;
        answers.and(self.records.delete(&pending).await)?;
        let forget = |row: &mut OrderRow| row.pending_deletion = None;
        Ok(self.records.end_deletion(id, forget).await?)
    }
}

/// Removes personal data from the rows, and schedules the removal of the rest,
/// which survives this host.
async fn erase_row(tx: &mut Transaction<'_>, mut row: OrderRow) -> Result<(), IdentificationError> {
    let status = row.order.status();
    if !status.is_terminal() {
        return Err(IdentificationError::NotEnded(status));
    }
    let mut pending = idempotency::forget_answers_about(tx, row.id)
        .await?
        .unwrap_or_default();
    pending.data_keys.push(row.data_key);
    pending
        .data_keys
        .extend(outbox::drop_notices(tx, row.id).await?);
    pending.byte_files.extend(row.named().files);
    let package = row.delivered.as_mut();
    let mark = package.and_then(|package| package.identified.take());
    if let Some(mark) = mark
        && let Some(mut known) = tx.get::<IdentifiedRow>(&mark).await?
    {
        known.packages = known.packages.saturating_sub(1);
        if known.packages == 0 {
            tx.delete::<IdentifiedRow>(&mark).await?;
        } else {
            tx.put(&known).await?;
        }
    }
    row.private = None;
    row.holders = None;
    row.erased_at = Some(tx.now());
    row.pending_deletion = Some(pending);
    tx.put(&row).await?;
    audit::append(tx, row.id, "kyc.erased", audit::Fields::new()).await?;
    let now = tx.now();
    match jobs::hasten(tx, TIMERS, &jobs::unique_key(ERASE, row.id), now).await? {
        HastenOutcome::Missing => outcome::schedule(tx, (TIMERS, ERASE), row.id, now).await?,
        HastenOutcome::Due | HastenOutcome::Claimed => {}
    }
    Ok(())
}
