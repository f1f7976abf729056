//! A step's hold on its job.

use std::time::Duration;

use jiff::SignedDuration;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Store, StoreError};

use crate::renewal::renewed_while;

/// How long a claimed job is left alone. What a dead host was doing is taken
/// over when it ends, so it is short; a step that takes longer renews it.
pub const LEASE: SignedDuration = SignedDuration::from_secs(45);
/// How often a running step renews its lease: two may fail.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// Does `work` under the lease of `job`, however long it takes. Gives what it
/// came to; `job` is then the claim under which that can be stored.
///
/// # Errors
/// [`StoreError::JobLost`] when the job was called off meanwhile; the work is
/// dropped where it was.
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

/// The claim for another [`LEASE`]; the same one if it could not be renewed now.
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
            let error: &dyn std::error::Error = &error;
            tracing::warn!(job.id = %claim.id, error, "a lease could not be renewed");
            Ok(claim)
        }
        renewed => renewed,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parafa_store::engine::MemoryEngine;
    use parafa_store::jobs::NewJob;
    use parafa_store::{ManualClock, MasterKey, StoreMode};

    use super::super::TIMERS;
    use super::*;

    async fn store_with_a_job(clock: &Arc<ManualClock>) -> (Store, ClaimedJob) {
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

    async fn claim(store: &Store) -> Option<ClaimedJob> {
        store.claim_due(TIMERS, 1, LEASE).await.unwrap().pop()
    }

    fn clock() -> Arc<ManualClock> {
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
    async fn a_step_whose_job_is_called_off_is_dropped() {
        let clock = clock();
        let (store, mut job) = store_with_a_job(&clock).await;
        store
            .transact(|tx| Box::pin(jobs::cancel(tx, TIMERS, "the one")))
            .await
            .unwrap();

        let held = hold(&store, &mut job, std::future::pending::<()>()).await;

        assert!(matches!(held, Err(StoreError::JobLost { .. })));
    }
}
