//! Audit trails.

use parafa_store::audit::{self, Event, Fields, Head, Verdict};
use parafa_store::{Store, StoreError};
use uuid::Uuid;

use crate::support::on_every_engine;

const CHAIN: Uuid = Uuid::from_u128(1);

async fn append(store: &Store, name: &str, fields: Fields) -> Head {
    let fields = &fields;
    store
        .transact(|tx| Box::pin(audit::append(tx, CHAIN, name, fields.clone())))
        .await
        .unwrap_or_else(|error: StoreError| panic!("an event: {error}"))
}

async fn event(store: &Store, sequence: u64) -> Event {
    let event = store.get::<Event>(&(CHAIN, sequence)).await;
    event.expect("read").expect("an event")
}

async fn change(store: &Store, sequence: u64, change: impl FnOnce(&mut Event)) {
    let mut event = event(store, sequence).await;
    change(&mut event);
    crate::support::put_all(store, &[event]).await;
}

async fn three_events(store: &Store) -> Head {
    append(store, "created", Fields::new().reference("by", "key")).await;
    append(store, "opened", Fields::new()).await;
    append(store, "signed", Fields::new().reference("version", 2)).await
}

async fn verify(store: &Store) -> Verdict {
    audit::verify(store, CHAIN).await.expect("a verdict")
}

on_every_engine! {
    async fn a_chain_that_nobody_touched_is_intact(world) {
        assert!(matches!(verify(&world.store).await, Verdict::Intact(head) if head.sequence == 0));
        let head = three_events(&world.store).await;

        assert_eq!(head.sequence, 3);
        assert_eq!(verify(&world.store).await, Verdict::Intact(head));
    }

    async fn a_chain_longer_than_a_batch_is_verified_whole(world) {
        for _ in 0..260 {
            append(&world.store, "opened", Fields::new()).await;
        }
        assert!(matches!(verify(&world.store).await, Verdict::Intact(head) if head.sequence == 260));

        change(&world.store, 259, |event| event.name.push('?')).await;
        assert_eq!(verify(&world.store).await, Verdict::Broken { sequence: 259 });
    }

    async fn a_changed_event_breaks_the_chain(world) {
        three_events(&world.store).await;
        change(&world.store, 3, |event| {
            event.fields = Fields::new().reference("version", 3);
        })
        .await;

        assert_eq!(verify(&world.store).await, Verdict::Broken { sequence: 3 });
    }

    async fn a_missing_event_breaks_the_chain(world) {
        three_events(&world.store).await;
        world
            .store
            .transact(|tx| Box::pin(async move { tx.delete::<Event>(&(CHAIN, 2)).await }))
            .await
            .unwrap_or_else(|error: StoreError| panic!("a removal: {error}"));

        assert_eq!(verify(&world.store).await, Verdict::Broken { sequence: 2 });
    }

    async fn a_cut_off_end_breaks_the_chain(world) {
        three_events(&world.store).await;
        world
            .store
            .transact(|tx| Box::pin(async move { tx.delete::<Event>(&(CHAIN, 3)).await }))
            .await
            .unwrap_or_else(|error: StoreError| panic!("a removal: {error}"));

        assert_eq!(verify(&world.store).await, Verdict::Broken { sequence: 3 });
    }

    async fn events_are_listed_from_a_place_on(world) {
        three_events(&world.store).await;
        let listed = world
            .store
            .read(|tx| Box::pin(audit::events(tx, CHAIN, 2, 10)))
            .await
            .unwrap_or_else(|error: StoreError| panic!("events: {error}"));

        let names: Vec<&str> = listed.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["opened", "signed"]);
    }
}
