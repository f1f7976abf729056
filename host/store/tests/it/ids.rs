//! The order of ids when the clock is set back between two starts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::SignedDuration;
use parafa_store::memory::MemoryDisk;
use parafa_store::{Content, Guard, MemoryEngine, Page, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::support::{BY_BOOK, Interrupted, Note, World, clock, open, put_all};

/// A remark on a note.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Remark {
    note: Uuid,
    id: Uuid,
}

impl Table for Remark {
    type Key = (Uuid, Uuid);
    const NAME: TableName = TableName::new("remark");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> (Uuid, Uuid) {
        (self.note, self.id)
    }
}

async fn id(world: &World) -> Uuid {
    world.store.new_id().await.expect("an id")
}

async fn note(world: &World) -> Note {
    let note = Note {
        id: id(world).await,
        ..Note::new(0, 1)
    };
    put_all(&world.store, std::slice::from_ref(&note)).await;
    note
}

async fn remark(world: &World, note: Uuid) -> Remark {
    let id = id(world).await;
    let remark = Remark { note, id };
    put_all(&world.store, std::slice::from_ref(&remark)).await;
    remark
}

async fn started_a_day_earlier(world: World) -> World {
    world.clock.advance(-SignedDuration::from_hours(24));
    world.reopened().await
}

#[tokio::test]
async fn the_row_made_last_is_the_newest() {
    let world = World::on_sled().await;
    let before = note(&world).await;
    let world = started_a_day_earlier(world).await;
    let after = note(&world).await;

    let listed = world
        .store
        .read(|tx| {
            Box::pin(async move {
                tx.page_by(&BY_BOOK, &1, &Page::newest(10), Guard::none())
                    .await
            })
        })
        .await
        .unwrap_or_else(|error: StoreError| panic!("a page: {error}"));
    assert_eq!(listed.rows, [after, before]);
}

#[tokio::test]
async fn rows_under_another_one_stay_in_the_order_in_which_they_came() {
    let world = World::on_sled().await;
    let (older, newer) = (id(&world).await, id(&world).await);
    remark(&world, newer).await;
    let before = remark(&world, older).await;
    let world = started_a_day_earlier(world).await;
    let after = remark(&world, older).await;

    let remarks = world
        .store
        .read(|tx| {
            Box::pin(async move { tx.children::<Remark>(&(older,), 10, Guard::none()).await })
        })
        .await
        .unwrap_or_else(|error: StoreError| panic!("remarks: {error}"));
    assert_eq!(remarks.rows, [before, after]);
}

#[tokio::test]
async fn a_host_that_shares_the_store_looks_through_no_rows_for_the_last_id() {
    let disk = MemoryDisk::default();
    let shared = || MemoryEngine::open(disk.clone(), Arc::new(clock())).shared();
    let store = open(Arc::new(shared())).await.expect("a store");
    let (note, id) = (Uuid::now_v7(), Uuid::now_v7());
    put_all(&store, &[Remark { note, id }]).await;
    let has_looked = Arc::<AtomicBool>::default();
    let looked = has_looked.clone();
    let engine = Interrupted::new(
        Arc::new(shared()),
        |scan| scan.start.starts_with(b"tremark\0"),
        async move { looked.store(true, Ordering::Relaxed) },
    );

    open(Arc::new(engine)).await.expect("a store");

    assert!(!has_looked.load(Ordering::Relaxed));
}
