//! Leases: one holder at a time.

use jiff::SignedDuration;
use parafa_store::lease::{self, Acquired, Lease};
use parafa_store::{Store, StoreError};

use crate::support::on_every_engine;

const TERM: SignedDuration = SignedDuration::from_secs(60);

async fn acquire(store: &Store, holder: &str) -> Acquired {
    store
        .transact(|tx| Box::pin(lease::acquire(tx, "signing", holder, TERM)))
        .await
        .unwrap_or_else(|error: StoreError| panic!("an answer: {error}"))
}

async fn take(store: &Store, holder: &str) -> Lease {
    match acquire(store, holder).await {
        Acquired::Taken(lease) => lease,
        Acquired::Busy { holder, .. } => panic!("the turn is {holder}'s"),
    }
}

async fn confirm(store: &Store, lease: &Lease) -> Result<(), StoreError> {
    store
        .transact(|tx| Box::pin(lease::confirm(tx, lease)))
        .await
}

async fn release(store: &Store, lease: &Lease) -> bool {
    store
        .transact(|tx| Box::pin(lease::release(tx, lease)))
        .await
        .unwrap_or_else(|error: StoreError| panic!("an answer: {error}"))
}

on_every_engine! {
    async fn a_turn_that_is_taken_is_busy(world) {
        let lease = take(&world.store, "a").await;

        assert_eq!(
            acquire(&world.store, "b").await,
            Acquired::Busy { holder: "a".to_owned(), until: lease.until }
        );
        assert!(matches!(acquire(&world.store, "a").await, Acquired::Busy { .. }));
        confirm(&world.store, &lease).await.expect("still held");
    }

    async fn a_turn_that_has_ended_is_lost(world) {
        let first = take(&world.store, "a").await;
        world.clock.advance(TERM);
        assert!(matches!(
            confirm(&world.store, &first).await,
            Err(StoreError::LeaseLost { name }) if name == "signing"
        ));

        let second = take(&world.store, "a").await;
        assert!(confirm(&world.store, &first).await.is_err());
        assert!(!release(&world.store, &first).await);
        confirm(&world.store, &second).await.expect("still held");
    }

    async fn a_renewed_turn_lasts_longer(world) {
        let lease = &take(&world.store, "a").await;
        world.clock.advance(TERM / 2);
        let renewed = world
            .store
            .transact(|tx| Box::pin(lease::renew(tx, lease, TERM)))
            .await
            .expect("renewed");
        world.clock.advance(TERM / 2);

        confirm(&world.store, &renewed).await.expect("still held");
        assert!(matches!(acquire(&world.store, "b").await, Acquired::Busy { .. }));
    }

    async fn a_released_turn_is_free(world) {
        let lease = take(&world.store, "a").await;
        assert!(release(&world.store, &lease).await);

        assert!(confirm(&world.store, &lease).await.is_err());
        take(&world.store, "b").await;
    }

    async fn of_many_who_ask_at_once_one_gets_the_turn(world) {
        let asking: Vec<_> = (0..6)
            .map(|holder| {
                let store = world.store.clone();
                tokio::spawn(async move { acquire(&store, &holder.to_string()).await })
            })
            .collect();
        let mut taken = 0;
        for answer in asking {
            taken += usize::from(matches!(answer.await, Ok(Acquired::Taken(_))));
        }

        assert_eq!(taken, 1);
    }
}
