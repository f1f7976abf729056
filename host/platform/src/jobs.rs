//! Runs what is due: any host may, and a crash only delays.

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

/// The lane of what happens at a certain time.
pub const TIMERS: Lane = Lane::new("timers");

/// A lane, and how much of it one host does. Each has a budget of its own, so that however many
/// of one kind wait, the others are done.
#[derive(Clone, Copy, Debug)]
pub struct LaneBudget {
    /// The lane.
    pub lane: Lane,
    /// Jobs that run at the same time.
    pub jobs: usize,
    /// Whether what is done in the lane goes out to others.
    pub is_outbound: bool,
}

impl LaneBudget {
    /// Whether its jobs wait for so long, and not for a certain time.
    fn waits_for_so_long(&self) -> bool {
        self.lane != TIMERS
    }

    /// The longest lease of a claim that whoever is dead may have left. Where
    /// jobs wait for a certain time there may be very many of them, and those
    /// that stand further out are not looked at.
    #[must_use]
    pub fn longest_lease(&self) -> SignedDuration {
        if self.waits_for_so_long() {
            SignedDuration::MAX
        } else {
            LEASE
        }
    }
}

/// Puts a job off that has not failed and is to be done at another time.
///
/// # Errors
/// When the store fails, or the job is somebody else's by now.
pub async fn put_off(store: &Store, job: &ClaimedJob, until: Timestamp) -> Result<(), StoreError> {
    store
        .transact(|tx| Box::pin(async move { jobs::retry(tx, job, until).await }))
        .await
}

/// Has the one job of a kind done from now on and again and again, by whichever host; it comes
/// within `every` where it waits for a clock that was set back.
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
