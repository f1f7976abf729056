//! Lease of a job during a step.

use std::convert::Infallible;
use std::time::Duration;

use jiff::SignedDuration;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Store, StoreError};

use crate::error::is_told;
use crate::renewal::renewed_while;

/// Duration of a job's lease. A dead host's job is taken over at its end, so it is short; a
/// step that takes longer renews it.
pub const LEASE: SignedDuration = SignedDuration::from_secs(45);
/// Interval between renewals: two may fail.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// Does `work` under the lease of `job`, which is renewed meanwhile. Returns the result; `job`
/// is then the claim under which it can be stored.
///
/// # Errors
/// [`StoreError::JobLost`] when the job was cancelled meanwhile; the work is dropped.
pub async fn hold<T>(
    store: &Store,
    job: &mut ClaimedJob,
    work: impl Future<Output = T>,
) -> Result<T, StoreError> {
    let claim = job.clone();
    let (done, renewed) =
        renewed_while(work, RENEW_EVERY, claim, |claim| renew(store, claim)).await?;
    *job = renewed;
    Ok(done)
}

/// Does `work` under the lease of `job` to its end, even if the job is cancelled or lost
/// meanwhile: for work that cannot be undone. Storing the result detects the loss.
pub async fn hold_to_the_end<T>(
    store: &Store,
    job: &mut ClaimedJob,
    work: impl Future<Output = T>,
) -> T {
    let renew = |claim: ClaimedJob| async move {
        let kept = claim.clone();
        Ok::<_, Infallible>(renew(store, claim).await.unwrap_or(kept))
    };
    let Ok((done, renewed)) = renewed_while(work, RENEW_EVERY, job.clone(), renew).await;
    *job = renewed;
    done
}

/// Renews the claim for another [`LEASE`]; returns it unchanged if that failed for now.
async fn renew(store: &Store, claim: ClaimedJob) -> Result<ClaimedJob, StoreError> {
    let renewed = store
        .transact(|tx| {
            let claim = &claim;
            Box::pin(async move {
                let until = shifted(tx.now(), LEASE);
                jobs::renew(tx, claim, until).await
            })
        })
        .await;
    match renewed {
        Err(lost @ StoreError::JobLost { .. }) => Err(lost),
        Err(error) => {
            let error: &(dyn std::error::Error + 'static) = &error;
            if !is_told(error) {
                tracing::warn!(job.id = %claim.id, error, "a lease could not be renewed");
            }
            Ok(claim)
        }
        renewed => renewed,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use parafa_store::jobs::NewJob;
    use parafa_store::memory::MemoryEngine;
    use parafa_store::{ManualClock, MasterKey, StoreMode};

    use super::super::TIMERS;
    use super::*;

    pub(in crate::jobs) async fn store_with_a_job(clock: &Arc<ManualClock>) -> (Store, ClaimedJob) {
        let engine = Arc::new(MemoryEngine::new(clock.clone()));
        let master = MasterKey::from_bytes([7; 32]);
        let store = Store::open(engine, &master, StoreMode::Demo).await.unwrap();
        store
            .transact(|tx| {
                Box::pin(async move {
                    let job = NewJob {
                        lane: TIMERS,
                        kind: "test".to_owned(),
                        due: tx.now(),
                        unique: Some("the one".to_owned()),
                        payload: serde_json::Value::Null,
                    };
                    jobs::enqueue(tx, job).await
                })
            })
            .await
            .unwrap();
        let job = claim(&store).await.unwrap();
        (store, job)
    }

    pub(in crate::jobs) async fn claim(store: &Store) -> Option<ClaimedJob> {
        store.claim_due(TIMERS, 1, LEASE).await.unwrap().pop()
    }

    pub(in crate::jobs) fn clock() -> Arc<ManualClock> {
        Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_takes_longer_than_its_lease_keeps_its_job() {
        let clock = clock();
        let (store, mut job) = store_with_a_job(&clock).await;
        let work = async {
            for _ in 0..4 {
                tokio::time::sleep(RENEW_EVERY * 2).await;
                clock.advance(LEASE * 2 / 3);
            }
        };

        hold(&store, &mut job, work).await.unwrap();

        assert!(claim(&store).await.is_none(), "nobody else may take it");
        let held = &job;
        store
            .transact(|tx| Box::pin(jobs::complete(tx, held)))
            .await
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_taken_back_is_nobody_elses_while_it_lasts() {
        let clock = clock();
        let (store, mut job) = store_with_a_job(&clock).await;
        let mut taken_by_others = 0;
        let work = async {
            for _ in 0..4 {
                tokio::time::sleep(RENEW_EVERY * 2).await;
                clock.advance(LEASE * 2 / 3);
                taken_by_others += usize::from(claim(&store).await.is_some());
            }
        };

        hold_to_the_end(&store, &mut job, work).await;

        assert_eq!(taken_by_others, 0);
        let held = &job;
        let completed = store.transact(|tx| Box::pin(jobs::complete(tx, held)));
        completed.await.unwrap();
    }

    /// Returns a store with a claimed job that is then cancelled.
    async fn store_with_a_job_that_is_called_off() -> (Store, ClaimedJob) {
        let (store, job) = store_with_a_job(&clock()).await;
        store
            .transact(|tx| Box::pin(jobs::cancel(tx, TIMERS, "the one")))
            .await
            .unwrap();
        (store, job)
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_taken_back_is_ended_though_its_job_is_called_off() {
        let (store, mut job) = store_with_a_job_that_is_called_off().await;

        let work = tokio::time::sleep(RENEW_EVERY * 3);
        hold_to_the_end(&store, &mut job, work).await;

        let held = &job;
        let completed = store.transact(|tx| Box::pin(jobs::complete(tx, held)));
        assert!(matches!(completed.await, Err(StoreError::JobLost { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_whose_job_is_called_off_is_dropped() {
        let (store, mut job) = store_with_a_job_that_is_called_off().await;

        let held = hold(&store, &mut job, std::future::pending::<()>()).await;

        assert!(matches!(held, Err(StoreError::JobLost { .. })));
    }
}
