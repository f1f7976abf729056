//! Size limits.

use bytes::Bytes;
use parafa_store::engine::{MAX_KEY_BYTES, MAX_VALUE_BYTES};
use parafa_store::sled::SledOptions;
use parafa_store::{
    Commit, CommitOutcome, Content, Engine, EngineError, SledEngine, Store, StoreError, Table,
};

use crate::support::{BY_SLUG, Note, clock, on_every_engine};

/// Returns a note whose row has this many bytes of JSON.
fn note_of(row_bytes: usize) -> Note {
    let empty = serde_json::to_vec(&Note::new(1, 1)).expect("JSON").len();
    Note {
        text: "x".repeat(row_bytes - empty),
        ..Note::new(1, 1)
    }
}

async fn put(store: &Store, note: &Note) -> Result<(), StoreError> {
    // The text is in an index too, where it would be too long.
    let row = &Unindexed(note.clone());
    store
        .transact(|tx| Box::pin(async move { tx.put(row).await }))
        .await
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct Unindexed(Note);

impl Table for Unindexed {
    type Key = uuid::Uuid;
    const NAME: parafa_store::TableName = parafa_store::TableName::new("unindexed");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> uuid::Uuid {
        self.0.id
    }
}

on_every_engine! {
    async fn a_row_of_64_kib_is_kept(world) {
        let note = note_of(MAX_VALUE_BYTES);
        put(&world.store, &note).await.expect("put");

        let kept = world.store.get::<Unindexed>(&note.id).await.expect("read");
        assert_eq!(kept.map(|kept| kept.0), Some(note));
    }

    async fn a_row_of_more_than_64_kib_is_refused(world) {
        let refused = put(&world.store, &note_of(MAX_VALUE_BYTES + 1)).await;

        assert!(matches!(
            refused,
            Err(StoreError::Engine(EngineError::ValueTooLarge { bytes, limit }))
                if bytes == MAX_VALUE_BYTES + 1 && limit == MAX_VALUE_BYTES
        ));
        assert!(world.store.health().is_ok());
    }

    async fn an_index_key_that_is_too_long_is_refused(world) {
        let note = &Note {
            slug: Some("x".repeat(MAX_KEY_BYTES)),
            ..Note::new(1, 1)
        };
        let refused = world
            .store
            .transact(|tx| Box::pin(async move { tx.put(note).await }))
            .await;

        assert!(matches!(
            refused,
            Err(StoreError::Engine(EngineError::KeyTooLong { limit: MAX_KEY_BYTES, .. }))
        ));
        let slug = &note.slug.clone().expect("a slug");
        let found: Result<_, StoreError> = world
            .store
            .read(|tx| Box::pin(async move { tx.find(&BY_SLUG, slug).await }))
            .await;
        assert_eq!(found.expect("a lookup"), None);
    }
}

#[tokio::test]
async fn the_largest_values_stay_in_the_synced_log_of_sled() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = SledEngine::open(
        &SledOptions::new(folder.path()),
        std::sync::Arc::new(clock()),
    )
    .expect("an engine");
    for round in 0..12_u8 {
        let puts = (0..40_u8)
            .map(|key| {
                let value = vec![round ^ key; MAX_VALUE_BYTES];
                (Bytes::copy_from_slice(&[b'k', key]), Bytes::from(value))
            })
            .collect();
        let commit = Commit {
            puts,
            ..Commit::default()
        };
        let outcome = engine.commit(commit).await.expect("a commit");
        assert_eq!(outcome, CommitOutcome::Committed);
    }

    let outside = std::fs::read_dir(folder.path().join("blobs"))
        .expect("the folder of overflowing pages")
        .count();
    assert_eq!(outside, 0);
}
