//! Heartbeat of a claim while its request runs.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use parafa_store::clock::shifted;
use parafa_store::{Store, Transaction};

use super::{Claim, Idempotency, IdempotencyRow, IdempotencyState, RUNNING, row_of};
use crate::error::PlatformError;

/// Interval between heartbeats: two may fail.
const RENEW_EVERY: Duration = Duration::from_secs(20);

impl Idempotency {
    /// Renews a claim, if there is one, while its request runs. Never returns.
    pub async fn hold(&self, claim: Option<Claim>) -> Infallible {
        if let Some(claim) = &claim {
            hold(&self.records.store, claim).await;
        }
        pending().await
    }
}

/// Renews until the claim is lost, to a host whose clock ran on while this one
/// was suspended. That does not end the work: the commit that would store its
/// answer decides.
async fn hold(store: &Store, claim: &Claim) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        if !holds_still(store, claim).await {
            return;
        }
    }
}

/// Renews the claim; returns false once it is lost.
async fn holds_still(store: &Store, claim: &Claim) -> bool {
    let renewed = store.transact(|tx| Box::pin(renew(tx, claim))).await;
    renewed.unwrap_or_else(|error| {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(error, "a claim could not be renewed");
        true
    })
}

/// Renews the claim; returns whether it was still valid.
async fn renew(tx: &mut Transaction<'_>, claim: &Claim) -> Result<bool, PlatformError> {
    let Some(row) = row_of(tx, claim).await? else {
        return Ok(false);
    };
    tx.put(&IdempotencyRow {
        state: IdempotencyState::Running {
            until: shifted(tx.now(), RUNNING),
        },
        ..row
    })
    .await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parafa_store::memory::MemoryEngine;
    use parafa_store::{ManualClock, MasterKey, StoreMode};

    use super::super::claim_or_find;
    use super::*;

    /// More than a claim's duration without a heartbeat.
    const LONG: u32 = 4;

    fn master() -> MasterKey {
        MasterKey::from_bytes([7; 32])
    }

    async fn store(clock: &Arc<ManualClock>) -> Store {
        let engine = Arc::new(MemoryEngine::new(clock.clone()));
        let master = master();
        let opened = Store::open(engine, &master, StoreMode::Demo).await;
        opened.unwrap()
    }

    fn clock() -> Arc<ManualClock> {
        Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()))
    }

    async fn claim(store: &Store) -> Option<Claim> {
        let scope = master().index("idempotency", "scope");
        let claimed = store.transact(|tx| Box::pin(claim_or_find(tx, scope, "body")));
        claimed.await.unwrap().claimed.ok()
    }

    /// Advances the time of the process and of the records.
    async fn pass(clock: &ManualClock, time: Duration) {
        clock.advance(time.try_into().unwrap());
        tokio::time::sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_takes_long_is_not_claimed_a_second_time() {
        let clock = clock();
        let store = store(&clock).await;
        let held = claim(&store).await.unwrap();

        let carried_out = async {
            for _ in 0..LONG {
                pass(&clock, RENEW_EVERY + Duration::from_secs(1)).await;
                assert!(claim(&store).await.is_none(), "it is being carried out");
            }
        };

        tokio::select! {
            () = carried_out => {}
            () = hold(&store, &held) => panic!("the claim is lost"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_that_nobody_holds_any_more_runs_out() {
        let clock = clock();
        let store = store(&clock).await;
        claim(&store).await.unwrap();

        pass(&clock, RENEW_EVERY * LONG).await;

        assert!(claim(&store).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_that_somebody_else_has_taken_is_left_to_them() {
        let clock = clock();
        let store = store(&clock).await;
        let lost = claim(&store).await.unwrap();
        clock.advance(RUNNING);
        claim(&store).await.unwrap();

        hold(&store, &lost).await;

        clock.advance(RUNNING);
        assert!(claim(&store).await.is_some(), "it was not prolonged");
    }
}
