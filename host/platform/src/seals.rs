//! The ends of audit chains are sealed once an hour, by whichever host comes to it.

use jiff::SignedDuration;
use parafa_store::audit::seal;
use parafa_store::jobs::ClaimedJob;
use parafa_store::{Store, StoreError};

use crate::error::PlatformError;
use crate::jobs::{hold, put_off, recur};

/// The kind of the job.
pub const SEAL_AUDIT: &str = "seal-audit";

const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Has what changed sealed once an hour from now on.
///
/// # Errors
/// When the store fails.
pub async fn schedule(store: &Store) -> Result<(), StoreError> {
    recur(store, SEAL_AUDIT, EVERY).await
}

/// Seals all hours that are over, and comes again when the next one is.
///
/// # Errors
/// When the store fails, or the job is another host's by now.
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
