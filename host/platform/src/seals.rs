//! Hourly sealing of audit trails, by any host.

use jiff::SignedDuration;
use parafa_store::audit::seal;
use parafa_store::jobs::ClaimedJob;
use parafa_store::{Store, StoreError};

use crate::error::PlatformError;
use crate::jobs::{hold, put_off, recur};

/// Kind of the job.
pub const SEAL_AUDIT: &str = "seal-audit";

const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Schedules the hourly job.
///
/// # Errors
/// When the store fails.
pub async fn schedule(store: &Store) -> Result<(), StoreError> {
    recur(store, SEAL_AUDIT, EVERY).await
}

/// Seals all hours that are over, and reschedules itself for the next one.
///
/// # Errors
/// When the store fails, or the job has another owner by now.
pub async fn run(store: &Store, job: &mut ClaimedJob) -> Result<(), PlatformError> {
    hold(store, job, seal_all(store)).await??;
    let again = seal::next_due(store.now().await?);
    Ok(put_off(store, job, again).await?)
}

async fn seal_all(store: &Store) -> Result<(), StoreError> {
    while let Some(seal) = seal::seal_next(store).await? {
        tracing::info!(
            seal.number = seal.number,
            seal.hour = %seal.hour_began(),
            seal.size = seal.size,
            seal.hash = %seal.hash,
            "the ends of audit chains are sealed"
        );
    }
    Ok(())
}
