//! Byte files and data keys that no row names. They are made before the row
//! that names them, so a crash in between leaves them; once a day they are
//! removed.

use jiff::SignedDuration;
use parafa_store::StoreError;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, Enqueued, NewJob};

use super::lanes::TIMERS;
use super::lease;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::named_content;

/// The kind of the job.
pub(crate) const SWEEP: &str = "sweep";

/// Time between two sweeps.
const EVERY: SignedDuration = SignedDuration::from_hours(24);

impl App {
    /// Has the sweep done once a day from now on, by whichever host; within a day
    /// where it waits for a clock that was set back.
    pub(crate) async fn schedule_sweep(&self) -> Result<(), StoreError> {
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let job = NewJob {
                        lane: TIMERS,
                        kind: SWEEP.to_owned(),
                        due: tx.now(),
                        unique: Some(SWEEP.to_owned()),
                        payload: serde_json::Value::Null,
                    };
                    if let Enqueued::Existing(_) = jobs::enqueue(tx, job).await? {
                        let within = shifted(tx.now(), EVERY);
                        jobs::hasten(tx, TIMERS, SWEEP, within).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Removes what no row names and what counts no more, and comes again a day
    /// later.
    pub(crate) async fn sweep(&self, job: &mut ClaimedJob) -> Result<(), WorkflowError> {
        let swept = lease::hold(&self.store, job, self.remove_ownerless()).await?;
        let (files, keys) = swept?;
        if files + keys > 0 {
            tracing::info!(files, keys, "ownerless byte files and data keys removed");
        }
        self.forget_prompts().await?;
        let next = shifted(self.store.now().await?, EVERY);
        self.put_off(job, next).await
    }

    /// Files and keys that are young are left, so that one whose row is being
    /// committed meanwhile is none of them. So is, while some row cannot be
    /// read, whatever that may name: it is there for the day when somebody
    /// mends the row. What is left half written, and content of a kind that no
    /// such row names, goes all the same.
    async fn remove_ownerless(&self) -> Result<(usize, usize), WorkflowError> {
        let named = &named_content(&self.store).await?;
        for unread in named.unread() {
            let error: &dyn std::error::Error = &unread.error;
            tracing::error!(
                table = unread.table,
                rows = unread.rows,
                first = unread.first,
                error,
                "rows cannot be read: nothing is removed that they may name"
            );
        }
        let now = self.store.now().await?;
        let since = self.store.created_at();
        let files = self.files.sweep(since, now, |ids| async move {
            Ok::<_, WorkflowError>(named.files_among(ids))
        });
        let files = files.await?;
        let keys = self.keys.sweep(since, now, |ids| async move {
            Ok::<_, WorkflowError>(named.keys_among(ids))
        });
        Ok((files, keys.await?))
    }
}
