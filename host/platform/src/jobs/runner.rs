use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::SignedDuration;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, Lane};
use parafa_store::{Store, StoreError, backup};
use parafa_traces::TARGET;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span, info_span};

use super::clock::LastSeen;
use super::metrics::{JobEnd, job_ended};
use super::{JobHandlers, LEASE, LaneBudget};
use crate::error::{is_away, is_told, log_failure};
use crate::{seals, sweep};

/// Longest time between two polls of the queues.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Longest time between polls of an idle host in a shared store: jobs are then enqueued by
/// others, or become due.
const LOOK_AGAIN_IDLE: Duration = Duration::from_secs(1);
/// Time without a job after which a host is idle.
const IDLE_AFTER: Duration = Duration::from_secs(5);
/// Delay of a job that is left for another host.
const LEFT_FOR: SignedDuration = SignedDuration::from_secs(1);
/// Pause after the first failure of a job; every further failure doubles it.
const AFTER_FAILURE: SignedDuration = SignedDuration::from_secs(5);
/// Pause before a job that found the store or the documents unavailable.
const AFTER_ABSENCE: SignedDuration = SignedDuration::from_secs(2);
/// Interval of checks whether an unavailable store is back.
const LOOK_FOR_RETURN: Duration = Duration::from_secs(1);
/// Longest pause after a job that keeps failing.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Permit that a job of a lane with turns holds during its run.
pub type LaneTurn = Box<dyn Send>;

/// Claims the jobs of a lane whose turn it is; the others stay in the lane.
#[async_trait]
pub trait ClaimsInTurn: Send + Sync {
    /// Returns the lane.
    fn lane(&self) -> Lane;

    /// Claims at most this many due jobs.
    async fn claim(&self, most: usize) -> Result<Vec<(ClaimedJob, LaneTurn)>, StoreError>;

    /// Adjusts to a clock that was set back.
    fn follow_clock_back(&self);
}

/// Runner of a data folder's jobs.
pub struct JobRunner {
    store: Store,
    /// The data folder.
    data: PathBuf,
    /// Signal of new work.
    work: Arc<Notify>,
    lanes: &'static [LaneBudget],
    in_turn: Vec<Arc<dyn ClaimsInTurn>>,
    handlers: JobHandlers,
}

impl JobRunner {
    /// Creates a runner of these lanes' jobs, which polls several times a second and whenever
    /// `work` is notified. A restored data folder sends nothing until it is released.
    #[must_use]
    pub fn new(
        store: Store,
        data: PathBuf,
        work: Arc<Notify>,
        lanes: &'static [LaneBudget],
        in_turn: Vec<Arc<dyn ClaimsInTurn>>,
        handlers: JobHandlers,
    ) -> Self {
        Self {
            store,
            data,
            work,
            lanes,
            in_turn,
            handlers,
        }
    }

    /// Claims and runs due jobs until stopped, then lets the running ones end.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut seen = LastSeen::nothing();
        self.try_to_follow_clock_back().await;
        let tasks = TaskTracker::new();
        let lanes = self.lanes.iter();
        let lanes: Vec<_> = lanes
            .map(|budget| (budget, Arc::new(Semaphore::new(budget.jobs))))
            .collect();
        let mut is_held = self.is_held().await;
        let mut last_claim = Instant::now();
        if is_held {
            tracing::warn!("this is a restored copy: nothing is sent until `parafa release`");
        }
        while !stop.is_cancelled() {
            is_held = is_held && self.is_held().await;
            if let Some(by) = self.set_back_by(&mut seen).await {
                let seconds = by.as_secs_f64();
                tracing::warn!(seconds, "the clock was set back");
                self.try_to_follow_clock_back().await;
            }
            for (budget, slots) in &lanes {
                if is_held && budget.is_outbound {
                    continue;
                }
                let free = slots.available_permits();
                if free == 0 {
                    continue;
                }
                match self.claim(budget.lane, free).await {
                    Ok(claimed) => {
                        if !claimed.is_empty() {
                            last_claim = Instant::now();
                        }
                        for (mut job, turn) in claimed {
                            let Ok(slot) = slots.clone().acquire_owned().await else {
                                return;
                            };
                            let (runner, stop) = (self.clone(), stop.clone());
                            tasks.spawn(async move {
                                runner.run_on(&mut job, &stop).await;
                                drop((turn, slot));
                                runner.work.notify_one();
                            });
                        }
                    }
                    Err(error) => log_failure(&error, "the job queue cannot be read"),
                }
            }
            let is_idle = self.store.is_shared() && last_claim.elapsed() >= IDLE_AFTER;
            let pause = if is_idle { LOOK_AGAIN_IDLE } else { LOOK_AGAIN };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.work.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
        tasks.close();
        tasks.wait().await;
    }

    /// Returns whether sending is on hold. While a shared store cannot be asked, it is.
    pub async fn is_held(&self) -> bool {
        if !self.store.is_shared() {
            return backup::is_held(&self.data);
        }
        match self.store.is_held().await {
            Ok(is_held) => is_held || backup::is_held(&self.data),
            Err(error) => {
                let what = "nothing is sent: the store does not say whether sending is on hold";
                log_failure(&error, what);
                true
            }
        }
    }

    /// Claims at most this many due jobs of a lane. In a lane with turns, only jobs whose turn
    /// it is are claimed, and keep it until the permit is dropped.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn claim(
        &self,
        lane: Lane,
        most: usize,
    ) -> Result<Vec<(ClaimedJob, Option<LaneTurn>)>, StoreError> {
        if let Some(turns) = self.in_turn.iter().find(|turns| turns.lane() == lane) {
            let claimed = turns.claim(most).await?.into_iter();
            return Ok(claimed.map(|(job, turn)| (job, Some(turn))).collect());
        }
        let claimed = self.store.claim_due(lane, most, LEASE).await?.into_iter();
        Ok(claimed.map(|job| (job, None)).collect())
    }

    /// Runs a claimed job, and continues while it makes progress. Once `stop` is cancelled, any
    /// host may continue.
    pub async fn run_on(&self, job: &mut ClaimedJob, stop: &CancellationToken) {
        loop {
            job.keep(!stop.is_cancelled());
            self.run_one(job).await;
            if !job.take_progress() {
                return;
            }
        }
    }

    /// Runs a claimed job once. A job that fails, or whose kind is unknown, is retried, each
    /// time later. In a shared store another host may know its kind, and it is left unchanged
    /// for that host.
    pub async fn run_one(&self, job: &mut ClaimedJob) {
        let Some(handler) = self.handlers.of(&job.kind) else {
            if self.store.is_shared() {
                tracing::warn!(job.id = %job.id, job.kind, "a job of an unknown kind is left for another host");
                return self.leave(job).await;
            }
            tracing::error!(job.id = %job.id, job.kind, "a job of an unknown kind");
            return self.give_back(job).await;
        };
        let span = span_of(job);
        let done = handler(job).instrument(span).await;
        if done.is_err() {
            // The job is returned to its lane, or is lost.
            job.take_progress();
        }
        match done {
            Ok(()) => job_ended(&job.kind, JobEnd::Done),
            // Another host has the job, or it was cancelled.
            Err(error) if is_lost(&error) => job_ended(&job.kind, JobEnd::Lost),
            Err(error) if is_away(error.as_ref()) => {
                log_wait(job, error.as_ref());
                self.give_back_to_what_was_away(job).await;
            }
            Err(error) => {
                job_ended(&job.kind, JobEnd::Failed);
                tracing::error!(
                    job.id = %job.id,
                    job.kind = job.kind,
                    error = AsRef::<dyn std::error::Error>::as_ref(&error),
                    "a job failed and is retried"
                );
                self.give_back(job).await;
            }
        }
    }

    /// Restarts the waits for a duration that began when the clock showed a later time than
    /// now. Without such waits nothing changes.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn follow_clock_back(&self) -> Result<(), StoreError> {
        for turns in &self.in_turn {
            turns.follow_clock_back();
        }
        let mut moved = 0;
        let lanes = self.lanes.iter();
        for budget in lanes.filter(|budget| budget.waits_for_so_long()) {
            moved += self.store.follow_clock_back(budget.lane).await?;
        }
        if moved > 0 {
            tracing::warn!(moved, "jobs were late because the clock was set back");
        }
        seals::schedule(&self.store).await?;
        sweep::schedule(&self.store).await
    }

    /// Returns how far the clock was set back since the last call. A failure of the store is
    /// reported by the next claim.
    async fn set_back_by(&self, seen: &mut LastSeen) -> Option<SignedDuration> {
        let now = self.store.now().await.ok()?;
        seen.set_back_by(now)
    }

    async fn try_to_follow_clock_back(&self) {
        if let Err(error) = self.follow_clock_back().await {
            let what = "jobs may be late because the clock was set back, and hourly and daily jobs may not be scheduled";
            log_failure(&error, what);
        }
    }

    /// Leaves a job for another host, soon.
    async fn leave(&self, job: &ClaimedJob) {
        let left = self.store.transact(|tx| {
            Box::pin(async move {
                let due = shifted(tx.now(), LEFT_FOR);
                jobs::leave(tx, job, due).await
            })
        });
        if let Err(error) = left.await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(job.id = %job.id, error, "a job waits until its lease ends");
        }
    }

    /// Returns the job to its lane, to be retried later by any host. If the store fails, the
    /// job's lease runs out.
    async fn give_back(&self, job: &ClaimedJob) {
        let pause = pause_after(job.failures.saturating_add(1));
        let given = self.store.transact(|tx| {
            Box::pin(async move {
                let due = shifted(tx.now(), pause);
                jobs::give_back(tx, job, due).await
            })
        });
        if let Err(error) = given.await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(job.id = %job.id, error, "a job waits until its lease ends");
        }
    }

    /// Reschedules a job that found a dependency unavailable for soon after its return, perhaps
    /// before the lease ends.
    async fn give_back_to_what_was_away(&self, job: &ClaimedJob) {
        loop {
            let waits = self.store.transact(|tx| {
                Box::pin(async move {
                    let due = shifted(tx.now(), AFTER_ABSENCE);
                    jobs::wait(tx, job, due).await
                })
            });
            match waits.await {
                Err(error) if is_away(&error) => tokio::time::sleep(LOOK_FOR_RETURN).await,
                Err(error) if !matches!(error, StoreError::JobLost { .. }) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(job.id = %job.id, error, "a job waits until its lease ends");
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Creates the span of a job in the trace that caused it, if that is recorded.
fn span_of(job: &ClaimedJob) -> Span {
    match job.trace.as_deref() {
        Some(traceparent) => info_span!(
            target: TARGET,
            "job",
            otel.kind = "consumer",
            otel.name = job.kind.as_str(),
            traceparent,
        ),
        None => Span::none(),
    }
}

/// Logs that a job waits, unless the outage is [logged elsewhere](is_told).
fn log_wait(job: &ClaimedJob, error: &(dyn std::error::Error + 'static)) {
    if is_told(error) {
        tracing::debug!(job.id = %job.id, job.kind, error, "a job waits for an unavailable dependency");
    } else {
        tracing::warn!(job.id = %job.id, job.kind, error, "a job waits for an unavailable dependency");
    }
}

/// Returns whether a job failed because this host has lost it.
fn is_lost(error: &anyhow::Error) -> bool {
    error.chain().any(|error| {
        matches!(
            error.downcast_ref::<StoreError>(),
            Some(StoreError::JobLost { .. })
        )
    })
}

/// Returns the pause of a job after this many consecutive failures.
fn pause_after(failures: u32) -> SignedDuration {
    let doublings = failures.saturating_sub(1).min(16);
    (AFTER_FAILURE * (1 << doublings)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use parafa_store::bytes::SweepError;
    use parafa_store::{BoxFuture, EngineError};

    use super::super::lease::tests::{claim, clock, store_with_a_job};
    use super::*;
    use crate::error::PlatformError;

    fn unavailable() -> EngineError {
        EngineError::Unavailable {
            reason: "away".into(),
        }
    }

    fn runner<F>(store: &Store, handler: F) -> JobRunner
    where
        F: for<'j> Fn(&'j mut ClaimedJob) -> BoxFuture<'j, anyhow::Result<()>>
            + Send
            + Sync
            + 'static,
    {
        let mut handlers = JobHandlers::default();
        handlers.register("test", handler).unwrap();
        let (data, work) = (PathBuf::new(), Arc::default());
        JobRunner::new(store.clone(), data, work, &[], Vec::new(), handlers)
    }

    /// Runs a job that makes progress twice and is then done, or fails after making progress;
    /// returns the number of steps.
    async fn steps_of(
        job: &mut ClaimedJob,
        store: &Store,
        is_stopping: bool,
        fails: bool,
    ) -> usize {
        let done = Arc::new(AtomicUsize::new(0));
        let (records, counted) = (store.clone(), done.clone());
        let runner = runner(store, move |job| {
            let (records, counted) = (records.clone(), counted.clone());
            Box::pin(async move {
                let is_last = counted.fetch_add(1, Ordering::Relaxed) == 2;
                let held: &ClaimedJob = job;
                let stored = records.transact(|tx| {
                    Box::pin(async move {
                        if is_last {
                            jobs::complete(tx, held).await?;
                            return Ok::<_, StoreError>(None);
                        }
                        jobs::go_on(tx, held, LEASE).await
                    })
                });
                let claim = stored.await?;
                if let Some(claim) = claim {
                    *job = claim;
                }
                match fails {
                    true => Err(StoreError::Random.into()),
                    false => Ok(()),
                }
            })
        });
        let stop = CancellationToken::new();
        if is_stopping {
            stop.cancel();
        }
        runner.run_on(job, &stop).await;
        done.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn what_was_away_however_often_is_no_failure_after_which_a_job_waits_long() {
        let clock = clock();
        let (store, mut job) = store_with_a_job(&clock).await;
        let is_away = Arc::new(AtomicBool::new(true));
        let told = is_away.clone();
        let fail = move || match told.load(Ordering::Relaxed) {
            true => StoreError::from(unavailable()),
            false => StoreError::Random,
        };
        let runner = runner(&store, move |_| {
            let error = fail();
            Box::pin(async move { Err(error.into()) })
        });
        for _ in 0..20 {
            runner.run_one(&mut job).await;
            clock.advance(AFTER_ABSENCE);
            job = claim(&store).await.expect("due again");
        }

        is_away.store(false, Ordering::Relaxed);
        runner.run_one(&mut job).await;

        clock.advance(AFTER_FAILURE);
        assert!(claim(&store).await.is_some());
    }

    #[tokio::test]
    async fn a_job_that_gets_on_is_done_to_its_end_by_who_has_it_unless_the_host_stops() {
        for (is_stopping, steps) in [(false, 3), (true, 1)] {
            let (store, mut job) = store_with_a_job(&clock()).await;

            let taken = steps_of(&mut job, &store, is_stopping, false).await;

            assert_eq!(taken, steps);
        }
    }

    #[tokio::test]
    async fn a_job_that_fails_after_it_has_got_on_waits_as_any_that_failed() {
        let clock = clock();
        let (store, mut job) = store_with_a_job(&clock).await;

        let taken = steps_of(&mut job, &store, false, true).await;

        assert_eq!(taken, 1);
        assert!(claim(&store).await.is_none(), "it is given back for later");
        clock.advance(AFTER_FAILURE);
        assert!(claim(&store).await.is_some());
    }

    #[test]
    fn a_job_that_keeps_failing_waits_longer_each_time_and_an_hour_at_most() {
        let pauses = [1, 2, 3, 9, 10, 11, u32::MAX].map(pause_after);

        let seconds = [5, 10, 20, 1280, 2560, 3600, 3600];
        assert_eq!(pauses, seconds.map(SignedDuration::from_secs));
    }

    #[test]
    fn what_is_away_is_told_from_what_fails_in_whatever_error_it_comes() {
        let away = PlatformError::Store(unavailable().into());

        assert!(is_away(anyhow::Error::new(away).as_ref()));
        let reason = "away".into();
        let sweep = PlatformError::Sweep(SweepError::Unavailable { reason });
        assert!(is_away(anyhow::Error::new(sweep).as_ref()));
        assert!(is_away(&StoreError::from(unavailable())));
        let lost = PlatformError::Store(StoreError::Random);
        assert!(!is_away(anyhow::Error::new(lost).as_ref()));
    }

    #[test]
    fn a_lost_job_is_told_from_a_failed_one_in_whatever_error_it_comes() {
        let id = uuid::Uuid::nil();
        let lost = PlatformError::Store(StoreError::JobLost { id });

        assert!(is_lost(&anyhow::Error::new(lost)));
        assert!(!is_lost(&anyhow::Error::new(PlatformError::Store(
            StoreError::Random
        ))));
    }
}
