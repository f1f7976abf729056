//! Sums over rows.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use jiff::SignedDuration;
use parafa_store::faulty::FaultPlan;
use parafa_store::memory::MemoryDisk;
use parafa_store::{
    Addend, Content, Direction, Engine, MemoryEngine, QuotaKey, Scan, Store, StoreError, Table,
    TableDeclaration, TableName,
};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::support::{Interrupted, World, clock, on_every_engine, open, put_all};

/// Longer than any step takes.
const LONG: Duration = Duration::from_secs(20);

/// A parcel of an owner's, with a weight, perhaps open.
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

async fn sum(store: &Store, of: &QuotaKey) -> [u64; 2] {
    store.sum(of).await.expect("a sum")
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
        assert_eq!(sum(store, &owner(7)).await, [120, 2]);
        assert_eq!(sum(store, &owner(8)).await, [3, 1]);

        // Twice in one transaction, and to another owner.
        let closed = Parcel { open: false, ..parcel(1, 7, 150) };
        put_all(store, &[parcel(1, 7, 999), closed, parcel(2, 8, 20)]).await;
        assert_eq!(sum(store, &owner(7)).await, [150, 0]);
        assert_eq!(sum(store, &owner(8)).await, [23, 2]);

        let deleted = store.transact(|tx| {
            Box::pin(async move {
                tx.delete::<Parcel>(&1).await?;
                Ok::<_, StoreError>(())
            })
        });
        deleted.await.expect("a commit");
        assert_eq!(sum(store, &owner(7)).await, [0, 0]);
        assert_eq!(store.all_sums().await.expect("sums"), [(owner(8), [23, 2])]);
        assert_eq!(sum(store, &(Uuid::from_u128(8), false)).await, [0, 0]);
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
        assert_eq!(sum(store, &owner(7)).await, [100, 1]);
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

        assert_eq!(sum(store, &owner(7)).await, [320, 32]);
    }

    async fn what_is_committed_counts_also_when_nobody_waits_for_it_any_more(world) {
        let store = &world.store;
        let parcels = [parcel(1, 7, 100)];
        {
            let mut abandoned = pin!(put_all(store, &parcels));
            let mut nobody = Context::from_waker(Waker::noop());
            // Polled up to its wait for the commit.
            while abandoned.as_mut().poll(&mut nobody).is_pending()
                && store.get::<Parcel>(&1).await.expect("a row").is_none()
            {
                tokio::task::yield_now().await;
            }
        }

        let counted = async {
            while sum(store, &owner(7)).await == [0, 0] {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LONG, counted).await.expect("it is counted");
        assert_eq!(sum(store, &owner(7)).await, [100, 1]);
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
            // Polled up to its wait for the commit.
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

/// A guard that reports the sum when dropped.
struct Held {
    store: Store,
    tell: Option<oneshot::Sender<[u64; 2]>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let tell = self.tell.take().expect("it is dropped once");
        let store = self.store.clone();
        tokio::spawn(async move {
            // The receiver may be gone.
            let _ = tell.send(sum(&store, &owner(7)).await);
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_starts_adds_up_what_is_there() {
    let world = World::on_sled().await;
    let many: Vec<_> = (0..600).map(|id| parcel(id, 7, 2)).collect();
    put_all(&world.store, &many).await;

    let world = world.reopened().await;
    assert_eq!(sum(&world.store, &owner(7)).await, [0, 0]);
    world
        .store
        .add_up(&[TableDeclaration::of::<Parcel>()])
        .await
        .expect("rows");

    assert_eq!(sum(&world.store, &owner(7)).await, [1200, 600]);
    put_all(&world.store, &[parcel(600, 7, 2)]).await;
    assert_eq!(sum(&world.store, &owner(7)).await, [1202, 601]);
}

/// Returns another host on the same in-memory disk.
async fn host_on(disk: &MemoryDisk) -> Store {
    let engine = MemoryEngine::open(disk.clone(), Arc::new(clock()));
    open(Arc::new(engine.shared())).await.expect("a store")
}

fn counted() -> [TableDeclaration; 1] {
    [TableDeclaration::of::<Parcel>()]
}

async fn delete(store: &Store, id: u32) {
    let deleted = store.transact(|tx| {
        Box::pin(async move {
            tx.delete::<Parcel>(&id).await?;
            Ok::<_, StoreError>(())
        })
    });
    deleted.await.expect("a commit");
}

#[tokio::test]
async fn a_host_sees_at_once_what_others_store_and_remove() {
    let disk = MemoryDisk::default();
    let (one, other) = (host_on(&disk).await, host_on(&disk).await);
    for host in [&one, &other] {
        host.add_up(&counted()).await.expect("rows");
    }

    put_all(&one, &[parcel(1, 7, 100), parcel(2, 8, 20)]).await;
    assert_eq!(sum(&other, &owner(7)).await, [100, 1]);

    delete(&other, 1).await;
    put_all(&other, &[parcel(3, 8, 5)]).await;
    assert_eq!(sum(&one, &owner(7)).await, [0, 0]);
    let all = one.all_sums().await.expect("sums");
    assert_eq!(all, [(owner(8), [25, 2])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_store_for_one_owner_at_once_never_wait_for_each_other() {
    let disk = MemoryDisk::default();
    let hosts = [host_on(&disk).await, host_on(&disk).await];
    let mut storing = Vec::new();
    for (host, first) in hosts.iter().zip([0, 1000]) {
        for id in first..first + 400 {
            let host = host.clone();
            let parcel = parcel(id, 7, 10);
            storing.push(tokio::spawn(async move { put_all(&host, &[parcel]).await }));
        }
    }
    for stored in storing {
        stored.await.expect("no panic");
    }

    for host in &hosts {
        assert_eq!(sum(host, &owner(7)).await, [8000, 800]);
        assert_eq!(host.transaction_counts().conflicts, 0);
    }
}

#[tokio::test]
async fn entries_of_an_owner_do_not_pile_up() {
    let disk = MemoryDisk::default();
    let host = host_on(&disk).await;
    let engine = MemoryEngine::open(disk, Arc::new(clock()));
    let mut most = 0;
    for id in 0..3000 {
        put_all(&host, &[parcel(id, 7, 1)]).await;
        most = most.max(entries(&engine).await);
    }

    assert!(most < 600, "{most} entries");
    assert_eq!(sum(&host, &owner(7)).await, [3000, 3000]);
}

async fn entries(engine: &MemoryEngine) -> usize {
    let scan = Scan {
        start: b"t_sum\0".to_vec(),
        end: b"t_sum\x01".to_vec(),
        direction: Direction::Ascending,
        limit: 1000,
    };
    engine.scan(scan).await.expect("a scan").len()
}

#[tokio::test]
async fn what_was_stored_before_hosts_shared_the_store_is_counted_once() {
    let world = World::in_memory().await;
    let many: Vec<_> = (0..700).map(|id| parcel(id, u128::from(id), 2)).collect();
    put_all(&world.store, &many).await;

    let hosts = [host_on(&world.disk()).await, host_on(&world.disk()).await];
    let tables = counted();
    let [one, other] = &hosts;
    let (first, second) = tokio::join!(one.add_up(&tables), other.add_up(&tables));
    first.and(second).expect("rows");

    for host in &hosts {
        assert_eq!(sum(host, &owner(3)).await, [2, 1]);
        assert_eq!(host.all_sums().await.expect("sums").len(), 700);
    }
    put_all(one, &[parcel(3, 3, 9)]).await;
    other.add_up(&tables).await.expect("rows");
    assert_eq!(sum(other, &owner(3)).await, [9, 1]);
}

#[tokio::test]
async fn sums_are_right_again_after_a_time_in_which_one_process_had_the_store() {
    let disk = MemoryDisk::default();
    let shared = host_on(&disk).await;
    shared.add_up(&counted()).await.expect("rows");
    put_all(&shared, &[parcel(1, 7, 100)]).await;

    let alone = World::with_faults(disk.clone(), FaultPlan::default()).await;
    alone.store.add_up(&counted()).await.expect("rows");
    assert_eq!(sum(&alone.store, &owner(7)).await, [100, 1]);
    put_all(&alone.store, &[parcel(2, 7, 20)]).await;

    let shared = host_on(&disk).await;
    shared.add_up(&counted()).await.expect("rows");
    assert_eq!(sum(&shared, &owner(7)).await, [120, 2]);
}

#[tokio::test]
async fn a_host_whose_turn_at_counting_is_over_removes_nothing_of_what_another_counted() {
    let disk = MemoryDisk::default();
    let clock = clock();
    let host = || MemoryEngine::open(disk.clone(), Arc::new(clock.clone())).shared();
    let other = open(Arc::new(host())).await.expect("a store");
    put_all(&other, &[parcel(1, 7, 100)]).await;
    // Slow enough that the other host counts everything while it reads the
    // entries.
    let (counting, advanced) = (other.clone(), clock.clone());
    let meanwhile = async move {
        advanced.advance(SignedDuration::from_mins(1));
        counting.add_up(&counted()).await.expect("rows");
    };
    let of_entries = |scan: &Scan| scan.start.starts_with(b"t_sum\0");
    let slow = Interrupted::new(Arc::new(host()), of_entries, meanwhile);
    let slow = open(Arc::new(slow)).await.expect("a store");

    slow.add_up(&counted()).await.expect("rows");

    for host in [&slow, &other] {
        assert_eq!(sum(host, &owner(7)).await, [100, 1]);
    }
}
