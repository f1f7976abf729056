//! Rotation of a store's master key.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;
use parafa_store::{
    DataKeys, Folder, FolderError, FolderOptions, KeyError, MasterKey, Store, StoreError, StoreMode,
};
use uuid::Uuid;

use crate::folder::options;
use crate::places::{Kept, Place, in_every_place, open_shared_under};
use crate::support::{World, master, on_every_engine};

/// Enough for an erasure to come before, during and after a rewrapping.
const RACES: usize = 24;

fn next() -> MasterKey {
    MasterKey::from_bytes([8; 32])
}

/// Returns the keys as configured on the server that replaces the key.
fn both() -> MasterKey {
    next().with_others([master()])
}

async fn under(world: &World, master: MasterKey) -> Result<Store, StoreError> {
    Store::open(world.engine(), &master, StoreMode::Demo).await
}

impl Place {
    /// Returns the data keys for a server that has both master keys, and wraps by the
    /// next one.
    async fn keys_of_both(&self) -> DataKeys {
        match &self.kept {
            Kept::Folder(root) => {
                let keys = DataKeys::open_folder(&root.path().join("keys"), Arc::new(both()));
                keys.expect("the keys")
            }
            Kept::Shared {
                database,
                documents,
            } => {
                let opened = open_shared_under(both(), database, documents.objects()).await;
                opened.expect("opened").keys
            }
        }
    }

    async fn some_keys(&self, many: usize) -> Vec<Uuid> {
        let mut ids = Vec::new();
        for _ in 0..many {
            let id = Uuid::now_v7();
            self.keys.create(id).await.expect("a key");
            ids.push(id);
        }
        ids
    }
}

in_every_place! {
    async fn a_data_key_is_wrapped_by_the_next_master_key_and_is_the_same(place) {
        let id = Uuid::now_v7();
        let key = place.keys.create(id).await.expect("a key");
        let sealed = key.seal(b"of a test", b"text").expect("sealed");
        let keys = place.keys_of_both().await;
        let before = keys.open(id).await.expect("under the key before");
        before.open(b"of a test", &sealed).expect("the same key");

        assert!(keys.rewrap(id).await.expect("wrapped"));

        assert!(!keys.rewrap(id).await.expect("it is the next one's"));
        let after = keys.open(id).await.expect("under the next key");
        let opened = after.open(b"of a test", &sealed).expect("the same key");
        assert_eq!(&opened[..], b"text");
        let alone = place.keys.open(id).await;
        assert!(matches!(alone, Err(KeyError::Damaged { .. })), "{alone:?}");
        assert_eq!(keys.ids().await.expect("listed"), [id]);
    }

    async fn no_key_comes_back_that_is_erased_while_keys_are_wrapped_anew(place) {
        let ids = place.some_keys(RACES).await;
        let keys = place.keys_of_both().await;

        for (number, id) in ids.iter().enumerate() {
            let erase = async {
                for _ in 0..number {
                    tokio::task::yield_now().await;
                }
                keys.erase(*id).await
            };
            let (rewrapped, erased) = tokio::join!(keys.rewrap(*id), erase);
            rewrapped.expect("wrapped, or gone");
            assert!(erased.expect("erased"));
        }

        for id in ids {
            let gone = keys.open(id).await;
            assert!(matches!(gone, Err(KeyError::Missing { .. })), "{gone:?}");
            assert!(!keys.rewrap(id).await.expect("there is nothing"));
        }
        assert!(keys.ids().await.expect("listed").is_empty());
    }
}

on_every_engine! {
    async fn a_store_needs_the_key_before_until_nothing_is_wrapped_by_it(world) {
        let wrong = next().with_others([MasterKey::from_bytes([9; 32])]);
        let refused = under(world, wrong).await;
        assert!(matches!(refused, Err(StoreError::NoMasterKeyFits)));

        let store = under(world, both()).await.expect("it is replaced");

        let rotation = store.key_rotation().await.expect("read").expect("one");
        assert!(!rotation.is_complete());
        assert_eq!(rotation.pending(), 1, "at least");
        let alone = under(world, next()).await;
        assert!(matches!(alone, Err(StoreError::EarlierMasterKeyMissing)));
        let before = under(world, master()).await;
        assert!(matches!(before, Err(StoreError::WrongMasterKey)));

        // One was found in this walk, so there may be more.
        let id = Uuid::now_v7();
        store.note_rewrapped(id, 1, 7).await.expect("noted");
        let noted = store.key_rotation().await.expect("read").expect("one");
        assert_eq!((noted.after(), noted.pending()), (Some(id), 7));
        let ended = store.end_rewrapping(0).await.expect("ended").expect("one");
        assert!(!ended.is_complete());
        // By then all hosts have the next key, and the following walk is the last.
        world.clock.advance(SignedDuration::from_mins(6));
        store.end_rewrapping(0).await.expect("ended");
        let ended = store.end_rewrapping(0).await.expect("ended").expect("one");

        assert_eq!((ended.is_complete(), ended.pending()), (true, 0));
        under(world, next()).await.expect("the next key is enough");
        let before = under(world, master()).await;
        assert!(matches!(before, Err(StoreError::WrongMasterKey)));
    }

    async fn a_host_that_does_not_have_the_next_key_first_leaves_the_store_under_it(world) {
        under(world, both()).await.expect("it is replaced");

        let late = master().with_others([next()]);
        under(world, late).await.expect("it goes on");

        let before = under(world, master()).await;
        assert!(matches!(before, Err(StoreError::WrongMasterKey)));
    }

    async fn a_walk_is_not_the_last_as_long_as_keys_are_out_of_its_reach(world) {
        let store = under(world, both()).await.expect("it is replaced");
        world.clock.advance(SignedDuration::from_mins(6));
        store.end_rewrapping(1).await.expect("ended");

        let ended = store.end_rewrapping(1).await.expect("ended").expect("one");

        assert_eq!((ended.is_complete(), ended.pending()), (false, 1));
    }
}

/// Replaces the master key by another one; the old one is kept beside it.
fn replace_key(root: &Path) -> FolderOptions {
    let mut options = options(root);
    let old = root.join("old.key");
    fs::rename(&options.master_key, &old).expect("moved");
    MasterKey::create(&options.master_key).expect("the next key");
    options.other_master_keys.push(old);
    options
}

#[tokio::test]
async fn what_is_derived_stays_as_it_is_and_no_master_key_alone_tells_it() {
    let root = tempfile::tempdir().expect("a folder");
    let signer = Uuid::now_v7();
    let token = |master: &MasterKey| master.token("ceremony", signer, 0).hash();
    let folder = Folder::open(&options(root.path())).await.expect("made");
    let (before, digest) = (token(&folder.master), folder.master.index("of", "somebody"));
    let secrets = folder.master.sealing_key("of-secrets");
    let sealed = secrets.seal(b"", b"a webhook's").expect("sealed");
    drop(folder);
    let replaced = replace_key(root.path());

    let folder = Folder::open(&replaced).await.expect("replaced");

    assert_eq!(token(&folder.master), before);
    assert_eq!(folder.master.index("of", "somebody"), digest);
    let secrets = folder.master.sealing_key("of-secrets");
    let opened = secrets.open(b"", &sealed).expect("opened");
    assert_eq!(&opened[..], b"a webhook's");
    for file in [&replaced.master_key, &replaced.other_master_keys[0]] {
        let alone = MasterKey::load(file).expect("a key");
        assert_ne!(token(&alone), before);
    }
}

#[tokio::test]
async fn a_folder_whose_key_is_gone_too_early_is_refused_with_what_to_do() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    drop(folder);
    let replaced = replace_key(root.path());
    drop(Folder::open(&replaced).await.expect("replaced"));
    let alone = FolderOptions {
        other_master_keys: Vec::new(),
        ..replaced.clone()
    };

    let refused = Folder::open(&alone).await.expect_err("refused");

    assert!(matches!(&refused, FolderError::Store(_)) && refused.is_refusal());
    let told = refused.to_string();
    assert!(told.contains("secrets.other_master_key_files"), "{told}");
    Folder::open(&replaced).await.expect("with both it opens");
}
