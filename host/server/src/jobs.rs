//! Runs what is due: any host may, and a crash only delays.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_store::StoreError;
use parafa_store::backup;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, Lane};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::error::WorkflowError;
use crate::metrics::{JobEnd, job_ended};
use crate::webhooks::{DROP_NOTICE, Turn};
use crate::workflow::lanes;
use crate::workflow::lease::LEASE;
use crate::workflow::set_back::LastSeen;
use crate::workflow::{attempt, deadline, erase, files, idempotency, notices, remind, sweep};

/// Longest time between two looks at the queues.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Pause after a job that failed inside for the first time; every further
/// failure doubles it.
const AFTER_FAILURE: SignedDuration = SignedDuration::from_secs(5);
/// Longest pause after a job that keeps failing.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Claims and runs due jobs until it is told to stop, and lets the running
/// ones end.
pub(crate) async fn run(app: Arc<App>, stop: CancellationToken) {
    let mut seen = LastSeen::nothing();
    follow_clock_back(&app).await;
    let tasks = TaskTracker::new();
    let lanes = lanes::BUDGETS.map(|budget| (budget, Arc::new(Semaphore::new(budget.jobs))));
    let mut is_held = backup::is_held(&app.data);
    if is_held {
        tracing::warn!("this is a restored copy: nothing is sent until `parafa release`");
    }
    while !stop.is_cancelled() {
        is_held = is_held && backup::is_held(&app.data);
        if let Some(by) = set_back_by(&app, &mut seen).await {
            let seconds = by.as_secs_f64();
            tracing::warn!(seconds, "the clock was set back");
            follow_clock_back(&app).await;
        }
        for (budget, slots) in &lanes {
            if is_held && budget.is_outbound() {
                continue;
            }
            let free = slots.available_permits();
            if free == 0 {
                continue;
            }
            match claim(&app, budget.lane, free).await {
                Ok(claimed) => {
                    for (mut job, turn) in claimed {
                        let Ok(slot) = slots.clone().acquire_owned().await else {
                            return;
                        };
                        let app = app.clone();
                        tasks.spawn(async move {
                            run_one(&app, &mut job).await;
                            drop((turn, slot));
                            app.work.notify_one();
                        });
                    }
                }
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the job queue cannot be read"
                ),
            }
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = app.work.notified() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
    tasks.close();
    tasks.wait().await;
}

/// Claims due jobs of a lane, at most so many; of deliveries only those whose
/// turn it is, which they have until that is dropped.
pub(crate) async fn claim(
    app: &App,
    lane: Lane,
    most: usize,
) -> Result<Vec<(ClaimedJob, Option<Turn>)>, StoreError> {
    if lane == lanes::DELIVERIES {
        let claimed = app.claim_deliveries(most).await?.into_iter();
        return Ok(claimed.map(|(job, turn)| (job, Some(turn))).collect());
    }
    let claimed = app.store.claim_due(lane, most, LEASE).await?.into_iter();
    Ok(claimed.map(|job| (job, None)).collect())
}

/// By how much the clock was set back since the last look. A store that fails
/// tells no time; claiming says so.
async fn set_back_by(app: &App, seen: &mut LastSeen) -> Option<SignedDuration> {
    let now = app.store.now().await.ok()?;
    seen.set_back_by(now)
}

async fn follow_clock_back(app: &App) {
    if let Err(error) = app.follow_clock_back().await {
        let error: &dyn std::error::Error = &error;
        tracing::error!(
            error,
            "jobs may wait for a clock that was set back, and the daily sweep for a start"
        );
    }
}

/// Runs a claimed job. One that fails, or that this host does not know, is tried
/// again, each time later.
pub(crate) async fn run_one(app: &App, job: &mut ClaimedJob) {
    let result = match job.kind.as_str() {
        attempt::DRIVE => app.drive_attempt(job).await,
        deadline::EXPIRE => app.expire_signing(job).await,
        sweep::SWEEP => app.sweep(job).await,
        remind::REMIND => app.remind_signers(job).await,
        erase::FINISH_ERASURE => app.finish_erasure(job).await,
        notices::DELIVER => app.deliver_event(job).await,
        DROP_NOTICE => app.drop_notice(job).await,
        notices::MAIL => app.send_mail(job).await,
        files::DROP_FILE => app.drop_file(job).await,
        idempotency::DROP_ANSWER => app.drop_answer(job).await,
        kind => {
            tracing::error!(job.id = %job.id, job.kind = kind, "no such job here");
            return give_back(app, job).await;
        }
    };
    match result {
        Ok(()) => job_ended(&job.kind, JobEnd::Done),
        // Somebody else has it, or it was called off.
        Err(WorkflowError::Store(StoreError::JobLost { .. })) => job_ended(&job.kind, JobEnd::Lost),
        Err(error) => {
            job_ended(&job.kind, JobEnd::Failed);
            tracing::error!(
                job.id = %job.id,
                job.kind = job.kind,
                error = &error as &dyn std::error::Error,
                "a job failed and is tried again"
            );
            give_back(app, job).await;
        }
    }
}

impl App {
    /// Puts a job off that has not failed and is to be done at another time.
    pub(crate) async fn put_off(
        &self,
        job: &ClaimedJob,
        until: Timestamp,
    ) -> Result<(), WorkflowError> {
        let put_off = self
            .store
            .transact(|tx| Box::pin(async move { jobs::retry(tx, job, until).await }));
        Ok(put_off.await?)
    }
}

/// Lets the job be done again later, by whoever comes first. Where the store
/// does not take even this, the job's lease runs out.
async fn give_back(app: &App, job: &ClaimedJob) {
    let given = app
        .store
        .transact(|tx| {
            Box::pin(async move {
                let due = shifted(tx.now(), pause_after(job.attempts));
                jobs::give_back(tx, job, due).await
            })
        })
        .await;
    if let Err(error) = given {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(job.id = %job.id, error, "a job waits until its lease ends");
    }
}

/// How long a job waits that has failed so many times in a row.
fn pause_after(failures: u32) -> SignedDuration {
    let doublings = failures.saturating_sub(1).min(16);
    (AFTER_FAILURE * (1 << doublings)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_keeps_failing_waits_longer_each_time_and_an_hour_at_most() {
        let pauses = [1, 2, 3, 9, 10, 11, u32::MAX].map(pause_after);

        let seconds = [5, 10, 20, 1280, 2560, 3600, 3600];
        assert_eq!(pauses, seconds.map(SignedDuration::from_secs));
    }
}
