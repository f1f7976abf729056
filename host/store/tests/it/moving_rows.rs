//! Rows that leave an index while a page of it is read.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_store::engine::{CommitOutcome, EngineError, Versioned};
use parafa_store::{
    Commit, Engine, Entry, Feed, Guard, Page, Paged, Scan, Store, StoreError, Table,
};
use uuid::Uuid;

use crate::support::{BY_BOOK, Note, World, on_every_engine, open, put_all};

/// An engine that somebody else writes to once it has scanned, before anything
/// that was found is read.
struct Interrupted {
    engine: Arc<dyn Engine>,
    meanwhile: Mutex<Option<(Store, Vec<Note>)>>,
}

#[async_trait]
impl Engine for Interrupted {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.engine.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        let of_notes = [b"i", Note::NAME.as_str().as_bytes()].concat();
        let is_page = scan.start.starts_with(&of_notes);
        let found = self.engine.scan(scan).await?;
        let meanwhile = is_page.then(|| self.meanwhile.lock().expect("no panic").take());
        if let Some((store, notes)) = meanwhile.flatten() {
            put_all(&store, &notes).await;
        }
        Ok(found)
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        self.engine.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.engine.now().await
    }

    async fn follow(&self) -> Result<Feed, EngineError> {
        self.engine.follow().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.engine.health()
    }
}

/// A page of the first book, from which these notes go to the second one while
/// it is read.
async fn page_while(world: &World, page: &Page<Uuid>, moved: &[u128]) -> Paged<Note> {
    let moved = moved.iter().map(|id| Note::new(*id, 2)).collect();
    let engine = Interrupted {
        engine: world.engine(),
        meanwhile: Mutex::new(Some((world.store.clone(), moved))),
    };
    let store = open(Arc::new(engine)).await.expect("a store");
    store
        .read(|tx| Box::pin(async move { tx.page_by(&BY_BOOK, &1, page, Guard::none()).await }))
        .await
        .unwrap_or_else(|error: StoreError| panic!("a page: {error}"))
}

async fn put_notes(world: &World, last: u128) {
    let notes: Vec<Note> = (1..=last).map(|id| Note::new(id, 1)).collect();
    put_all(&world.store, &notes).await;
}

fn ids(page: &Paged<Note>) -> Vec<u128> {
    page.rows.iter().map(|note| note.id.as_u128()).collect()
}

on_every_engine! {
    async fn a_page_from_which_all_rows_go_shows_those_that_follow(world) {
        put_notes(world, 5).await;

        let page = page_while(world, &Page::newest(2), &[5, 4]).await;

        assert_eq!((ids(&page), page.more), (vec![3, 2], true));
    }

    async fn a_page_from_which_a_row_goes_is_filled_up(world) {
        put_notes(world, 5).await;

        let page = page_while(world, &Page::oldest(3), &[2]).await;

        assert_eq!((ids(&page), page.more), (vec![1, 3, 4], true));
    }

    async fn a_page_that_cannot_be_filled_up_is_the_last(world) {
        put_notes(world, 3).await;

        let page = page_while(world, &Page::newest(2), &[3, 2]).await;

        assert_eq!((ids(&page), page.more), (vec![1], false));
    }
}
