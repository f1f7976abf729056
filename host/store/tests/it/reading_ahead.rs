//! Rows read together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use parafa_store::engine::{CommitOutcome, EngineError, Versioned};
use parafa_store::{Commit, Engine, EntriesCopy, Entry, Guard, Page, Scan, StoreError};

use crate::support::{BY_BOOK, Note, World, on_every_engine, open, put_all};

/// An engine that counts its calls.
struct Counting {
    engine: Arc<dyn Engine>,
    questions: AtomicUsize,
}

#[async_trait]
impl Engine for Counting {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.engine.get(key).await
    }

    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.engine.get_all(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.engine.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        self.engine.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.engine.now().await
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.engine.begin_copy().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.engine.health()
    }
}

#[tokio::test]
async fn the_rows_of_a_page_are_asked_for_at_once() {
    let world = World::in_memory().await;
    let notes: Vec<Note> = (1..=50).map(|id| Note::new(id, 1)).collect();
    put_all(&world.store, &notes).await;
    let engine = Arc::new(Counting {
        engine: world.engine(),
        questions: AtomicUsize::new(0),
    });
    let store = open(engine.clone()).await.expect("a store");
    let before = engine.questions.load(Ordering::Relaxed);

    let page = store.read(|tx| {
        Box::pin(async move {
            tx.page_by(&BY_BOOK, &1, &Page::newest(50), Guard::none())
                .await
        })
    });
    let page = page.await;

    let page = page.unwrap_or_else(|error: StoreError| panic!("a page: {error}"));
    assert_eq!(page.rows.len(), 50);
    // One for the index, and one for its rows.
    assert_eq!(engine.questions.load(Ordering::Relaxed) - before, 2);
}

on_every_engine! {
    async fn values_come_in_the_order_of_their_keys(world) {
        let engine = world.engine();
        let [one, two, absent] = ["x1", "x2", "x3"].map(Bytes::from);
        let commit = Commit {
            puts: vec![(one.clone(), "one".into()), (two.clone(), "two".into())],
            ..Commit::default()
        };
        let outcome = engine.commit(commit).await.expect("an answer");
        assert_eq!(outcome, CommitOutcome::Committed);

        let found = engine.get_all(&[two.clone(), absent, one, two]).await;

        let found = found.expect("an answer").into_iter();
        let values: Vec<_> = found.map(|stored| stored.map(|stored| stored.value)).collect();
        let [one, two] = ["one", "two"].map(|value| Some(Bytes::from(value)));
        assert_eq!(values, [two.clone(), None, one, two]);
    }

    async fn nothing_is_found_where_nothing_is_asked_for(world) {
        let nothing: [Bytes; 0] = [];
        assert_eq!(world.engine().get_all(&nothing).await.expect("an answer"), []);
    }
}
