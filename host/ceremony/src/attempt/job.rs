//! The job that carries an attempt from step to step.

use jiff::Timestamp;
use parafa_store::jobs::{self, Lane};
use parafa_store::{StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::records::AttemptRow;

/// The lane of the steps of attempts; a person waits for them.
pub const ATTEMPTS: Lane = Lane::new("attempts");
/// The kind of the job.
pub const DRIVE: &str = "drive-attempt";

#[derive(Deserialize, Serialize)]
pub(super) struct Payload {
    pub(super) attempt: Uuid,
}

/// The name that keeps an attempt's job from being there twice.
pub(crate) fn unique_key(attempt: Uuid) -> String {
    jobs::unique_key(DRIVE, attempt)
}

/// Has the attempt's first step done at `due`, or when that is hastened.
pub(crate) async fn schedule(
    tx: &mut Transaction<'_>,
    attempt: &AttemptRow,
    due: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!({ "attempt": attempt.id });
    jobs::schedule(tx, (ATTEMPTS, DRIVE), attempt.id, due, payload).await
}
