//! Hand-over of jobs to the runner of their host by calls that have claimed them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parafa_store::Store;
use parafa_store::jobs::ClaimedJob;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::leave;
use crate::detached::run_detached;

/// The way from calls to the job runner of their host. A call that makes a job due claims it in
/// the same commit ([`take`](parafa_store::jobs::take)), which saves the runner a commit. Clones
/// share it.
#[derive(Clone, Debug, Default)]
pub struct JobHandover {
    /// Wakes the runner.
    work: Arc<Notify>,
    /// `None` while no runner runs.
    runner: Arc<Mutex<Option<UnboundedSender<ClaimedJob>>>>,
}

impl JobHandover {
    /// Creates one to a runner that `work` wakes.
    #[must_use]
    pub fn new(work: Arc<Notify>) -> Self {
        Self {
            work,
            runner: Arc::default(),
        }
    }

    /// Stores what `store` does, which gets whether it may claim a job for the runner, and passes
    /// the claim on. Without a claim, the runner is woken instead. Where a job may be claimed, this
    /// completes even if the caller goes away: the job would wait for the end of its lease.
    ///
    /// A claim is of a lane without turns.
    ///
    /// # Errors
    /// Those of `store`; the runner is not woken then.
    pub async fn store<T, E, F>(
        &self,
        records: Store,
        store: impl FnOnce(bool) -> F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: Send + 'static,
        F: Future<Output = Result<(T, Option<ClaimedJob>), E>> + Send + 'static,
    {
        let (is_open, handover) = (self.lock().is_some(), self.clone());
        let stored = store(is_open);
        let passed_on = async move {
            let (stored, claimed) = stored.await?;
            match claimed {
                Some(job) => handover.pass(&records, job).await,
                None => handover.wake(),
            }
            Ok::<T, E>(stored)
        };
        if !is_open {
            return passed_on.await;
        }
        let detached = run_detached(passed_on).await;
        detached.unwrap_or_else(|panicked| panicked.resume())
    }

    /// Wakes the runner.
    pub(super) fn wake(&self) {
        self.work.notify_one();
    }

    /// Waits until the runner is woken.
    pub(super) async fn woken(&self) {
        self.work.notified().await;
    }

    /// Lets the runner get jobs, until it [ends](Self::close).
    pub(super) fn open(&self) -> UnboundedReceiver<ClaimedJob> {
        let (runner, handed) = mpsc::unbounded_channel();
        *self.lock() = Some(runner);
        handed
    }

    /// Ends the hand-over: what is not received yet is all that the runner still gets.
    pub(super) fn close(&self) {
        *self.lock() = None;
    }

    /// Passes a claimed job to the runner. One that has ended meanwhile leaves it to other hosts.
    async fn pass(&self, store: &Store, job: ClaimedJob) {
        let refused = match &*self.lock() {
            Some(runner) => runner.send(job).err().map(|refused| refused.0),
            None => Some(job),
        };
        if let Some(job) = refused {
            leave(store, &job).await;
        }
    }

    // Poisoning is ignored: no code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, Option<UnboundedSender<ClaimedJob>>> {
        self.runner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use parafa_store::{StoreError, jobs};
    use tokio_util::sync::CancellationToken;

    use super::super::lease::tests::{claim, clock, store_with_a_job};
    use super::super::{JobHandlers, JobRunner, LEASE, LEFT_FOR, LaneBudget, TIMERS};
    use super::*;

    const LANES: [LaneBudget; 1] = [LaneBudget {
        lane: TIMERS,
        jobs: 8,
        is_outbound: false,
    }];

    /// Does `then` beside a runner that completes jobs, and notifies what `then` gets.
    async fn with_runner(
        handover: &JobHandover,
        store: &Store,
        then: impl AsyncFnOnce(Arc<Notify>),
    ) {
        let (records, done) = (store.clone(), Arc::new(Notify::new()));
        let told = done.clone();
        let mut handlers = JobHandlers::default();
        let registered = handlers.register("test", move |job| {
            let (records, told) = (records.clone(), told.clone());
            Box::pin(async move {
                let held: &ClaimedJob = job;
                let completed = records.transact(|tx| Box::pin(jobs::complete(tx, held)));
                completed.await?;
                told.notify_one();
                Ok(())
            })
        });
        registered.unwrap();
        let (data, to_runner) = (PathBuf::new(), handover.clone());
        let runner = JobRunner::new(store.clone(), data, to_runner, &LANES, Vec::new(), handlers);
        let stop = CancellationToken::new();
        let running = tokio::spawn(Arc::new(runner).run(stop.clone()));
        tokio::task::yield_now().await;
        then(done).await;
        stop.cancel();
        running.await.unwrap();
    }

    /// Hands a claimed job over; returns whether a runner was there.
    async fn hand_over(handover: &JobHandover, store: &Store, job: ClaimedJob) -> bool {
        let stored = handover.store(store.clone(), |is_open| async move {
            Ok::<_, StoreError>((is_open, Some(job)))
        });
        stored.await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_a_call_has_claimed_is_run_under_its_claim() {
        let (store, job) = store_with_a_job(&clock()).await;
        let handover = JobHandover::default();
        let check = async |done: Arc<Notify>| {
            assert!(hand_over(&handover, &store, job).await);
            let within = tokio::time::timeout(Duration::from_secs(1), done.notified());
            within.await.expect("it is run at once");
        };

        with_runner(&handover, &store, check).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_is_handed_over_late_in_its_lease_is_left_to_others() {
        let clock = clock();
        let (store, job) = store_with_a_job(&clock).await;
        let handover = JobHandover::default();
        let check = async |done: Arc<Notify>| {
            clock.advance(LEASE / 2);
            assert!(hand_over(&handover, &store, job).await);
            let within = tokio::time::timeout(Duration::from_secs(1), done.notified());
            within
                .await
                .expect_err("its lease may end before it is renewed");
            clock.advance(LEFT_FOR);
            done.notified().await;
        };

        with_runner(&handover, &store, check).await;
    }

    #[tokio::test]
    async fn a_job_that_no_runner_takes_is_left_to_others() {
        let clock = clock();
        let (store, job) = store_with_a_job(&clock).await;
        let handover = JobHandover::default();
        drop(handover.open());
        assert!(hand_over(&handover, &store, job).await);

        clock.advance(LEFT_FOR);
        let job = claim(&store).await.expect("its claim was given up");
        assert_eq!(job.attempts, 1);
        handover.close();
        assert!(!hand_over(&handover, &store, job).await);

        clock.advance(LEFT_FOR);
        assert!(claim(&store).await.is_some());
    }

    #[tokio::test]
    async fn without_a_claim_the_runner_is_woken() {
        let (store, _) = store_with_a_job(&clock()).await;
        let handover = JobHandover::default();

        let stored = handover.store(store, |_| async { Ok::<_, StoreError>(((), None)) });
        stored.await.unwrap();

        handover.woken().await;
    }
}
