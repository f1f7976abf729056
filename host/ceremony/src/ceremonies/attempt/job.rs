//! The job of an attempt, from step to step.

use jiff::Timestamp;
use parafa_store::jobs::{self, Lane};
use parafa_store::{StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::records::AttemptRow;

/// The lane of the steps of attempts; a person waits for them.
pub const ATTEMPTS: Lane = Lane::new("attempts");
/// Kind of the job.
pub const DRIVE: &str = "drive-attempt";

#[derive(Deserialize, Serialize)]
pub(super) struct Payload {
    pub(super) attempt: Uuid,
}

/// Returns the unique key of an attempt's job.
pub(crate) fn unique_key(attempt: Uuid) -> String {
    jobs::unique_key(DRIVE, attempt)
}

/// Schedules the attempt's first step for `due`, or for when it is brought
/// forward.
pub(crate) async fn schedule(
    tx: &mut Transaction<'_>,
    attempt: &AttemptRow,
    due: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!({ "attempt": attempt.id });
    jobs::schedule(tx, (ATTEMPTS, DRIVE), attempt.id, due, payload).await
}
