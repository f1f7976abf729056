//! What rows come to together.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use parafa_store::{Addend, Content, QuotaKey, Store, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::support::{World, on_every_engine, put_all};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(20);

/// Something of an owner's that weighs something, and may be open.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Parcel {
    id: u32,
    owner: u128,
    weight: u64,
    open: bool,
}

impl Table for Parcel {
    type Key = u32;
    const NAME: TableName = TableName::new("parcel");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> u32 {
        self.id
    }

    fn addend(&self) -> Option<Addend> {
        Some(Addend {
            of: owner(self.owner),
            amounts: [self.weight, u64::from(self.open)],
        })
    }
}

fn owner(id: u128) -> QuotaKey {
    (Uuid::from_u128(id), true)
}

fn parcel(id: u32, owner: u128, weight: u64) -> Parcel {
    Parcel {
        id,
        owner,
        weight,
        open: true,
    }
}

on_every_engine! {
    async fn rows_that_come_change_and_go_move_the_sums_of_their_owner(world) {
        let store = &world.store;
        put_all(store, &[parcel(1, 7, 100), parcel(2, 7, 20), parcel(3, 8, 3)]).await;
        assert_eq!(store.sum(&owner(7)), [120, 2]);
        assert_eq!(store.sum(&owner(8)), [3, 1]);

        // Twice in one transaction, and to another owner.
        let closed = Parcel { open: false, ..parcel(1, 7, 150) };
        put_all(store, &[parcel(1, 7, 999), closed, parcel(2, 8, 20)]).await;
        assert_eq!(store.sum(&owner(7)), [150, 0]);
        assert_eq!(store.sum(&owner(8)), [23, 2]);

        let deleted = store.transact(|tx| {
            Box::pin(async move {
                tx.delete::<Parcel>(&1).await?;
                Ok::<_, StoreError>(())
            })
        });
        deleted.await.expect("a commit");
        assert_eq!(store.sum(&owner(7)), [0, 0]);
        assert_eq!(store.all_sums(), [(owner(8), [23, 2])]);
        assert_eq!(store.sum(&(Uuid::from_u128(8), false)), [0, 0]);
    }

    async fn what_a_transaction_takes_back_adds_nothing(world) {
        let store = &world.store;
        put_all(store, &[parcel(1, 7, 100)]).await;

        let refused = store.transact(|tx| {
            Box::pin(async move {
                tx.put(&parcel(2, 7, 5)).await?;
                tx.insert(&parcel(1, 7, 100)).await
            })
        });

        assert!(matches!(refused.await, Err(StoreError::Exists { .. })));
        assert_eq!(store.sum(&owner(7)), [100, 1]);
    }

    async fn many_at_once_are_all_counted(world) {
        let store = &world.store;
        let callers = (0..32).map(|id| {
            let store = store.clone();
            tokio::spawn(async move { put_all(&store, &[parcel(id, 7, 10)]).await })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.expect("no panic");
        }

        assert_eq!(store.sum(&owner(7)), [320, 32]);
    }

    async fn what_is_committed_counts_also_when_nobody_waits_for_it_any_more(world) {
        let store = &world.store;
        let parcels = [parcel(1, 7, 100)];
        {
            let mut abandoned = pin!(put_all(store, &parcels));
            let mut nobody = Context::from_waker(Waker::noop());
            // Up to where it waits for the commit.
            while abandoned.as_mut().poll(&mut nobody).is_pending()
                && store.get::<Parcel>(&1).await.expect("a row").is_none()
            {
                tokio::task::yield_now().await;
            }
        }

        let counted = async {
            while store.sum(&owner(7)) == [0, 0] {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LONG, counted).await.expect("it is counted");
        assert_eq!(store.sum(&owner(7)), [100, 1]);
    }

    async fn what_a_transaction_holds_is_kept_until_it_counts_though_nobody_waits(world) {
        let store = &world.store;
        let (tell, told) = oneshot::channel();
        let held = Arc::new(Held { store: store.clone(), tell: Some(tell) });
        {
            let mut abandoned = pin!(async move {
                let held = &held;
                let put = store.transact(|tx| Box::pin(async move {
                    tx.hold(held.clone());
                    tx.put(&parcel(1, 7, 100)).await
                }));
                put.await.expect("it is put");
            });
            let mut nobody = Context::from_waker(Waker::noop());
            // Up to where it waits for the commit.
            while abandoned.as_mut().poll(&mut nobody).is_pending()
                && store.get::<Parcel>(&1).await.expect("a row").is_none()
            {
                tokio::task::yield_now().await;
            }
        }

        let sum = tokio::time::timeout(LONG, told).await.expect("it is let go");
        assert_eq!(sum, Ok([100, 1]));
    }
}

/// Tells what the sum is when it is let go.
struct Held {
    store: Store,
    tell: Option<oneshot::Sender<[u64; 2]>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let tell = self.tell.take().expect("it is dropped once");
        // Nobody may listen.
        let _ = tell.send(self.store.sum(&owner(7)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_starts_adds_up_what_is_there() {
    let world = World::on_sled().await;
    let many: Vec<_> = (0..600).map(|id| parcel(id, 7, 2)).collect();
    put_all(&world.store, &many).await;

    let world = world.reopened().await;
    assert_eq!(world.store.sum(&owner(7)), [0, 0]);
    world.store.add_up::<Parcel>().await.expect("rows");

    assert_eq!(world.store.sum(&owner(7)), [1200, 600]);
    put_all(&world.store, &[parcel(600, 7, 2)]).await;
    assert_eq!(world.store.sum(&owner(7)), [1202, 601]);
}
