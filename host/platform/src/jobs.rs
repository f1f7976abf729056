//! Execution of due jobs: any host may run them, and a crash only delays them.

mod clock;
mod handlers;
mod lease;
pub mod metrics;
mod runner;

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, Enqueued, Lane, NewJob};
use parafa_store::{Store, StoreError};

pub use self::handlers::{JobHandlers, JobKindError};
pub use self::lease::{LEASE, hold, hold_to_the_end};
pub use self::runner::{ClaimsInTurn, JobRunner, LaneTurn};

/// The lane of jobs with a fixed time.
pub const TIMERS: Lane = Lane::new("timers");

/// A lane with its budget on one host. Separate budgets keep a backlog in one lane from
/// delaying the others.
#[derive(Clone, Copy, Debug)]
pub struct LaneBudget {
    /// The lane.
    pub lane: Lane,
    /// Jobs run at the same time.
    pub jobs: usize,
    /// The jobs of the lane send something to others.
    pub is_outbound: bool,
}

impl LaneBudget {
    /// Returns whether its jobs wait for a duration, not for a fixed time.
    fn waits_for_so_long(&self) -> bool {
        self.lane != TIMERS
    }

    /// Returns the longest lease of a claim that a dead host may have left. With fixed times
    /// there may be very many jobs, and those further in the future are not read.
    #[must_use]
    pub fn longest_lease(&self) -> SignedDuration {
        if self.waits_for_so_long() {
            SignedDuration::MAX
        } else {
            LEASE
        }
    }
}

/// Postpones a job that has not failed.
///
/// # Errors
/// When the store fails, or the job has another owner by now.
pub async fn put_off(store: &Store, job: &ClaimedJob, until: Timestamp) -> Result<(), StoreError> {
    store
        .transact(|tx| Box::pin(async move { jobs::retry(tx, job, until).await }))
        .await
}

/// Schedules the only job of a kind, to be repeated by any host. It is due within `every` even
/// if the clock is set back.
///
/// # Errors
/// When the store fails.
pub(crate) async fn recur(
    store: &Store,
    kind: &'static str,
    every: SignedDuration,
) -> Result<(), StoreError> {
    store
        .transact(|tx| {
            Box::pin(async move {
                let job = NewJob {
                    lane: TIMERS,
                    kind: kind.to_owned(),
                    due: tx.now(),
                    unique: Some(kind.to_owned()),
                    payload: serde_json::Value::Null,
                };
                if let Enqueued::Existing(_) = jobs::enqueue(tx, job).await? {
                    let within = shifted(tx.now(), every);
                    jobs::hasten(tx, TIMERS, kind, within).await?;
                }
                Ok(())
            })
        })
        .await
}
