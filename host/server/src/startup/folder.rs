//! Configured data folder.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use parafa_platform::PlatformError;
use parafa_platform::sweep::Sweeper;
use parafa_store::sled::SledOptions;
use parafa_store::{AcceptedLoss, Clock, Folder, FolderOptions, KeyError, StoreMode, SystemClock};

use super::database::{self, Reached, open_shared};
use super::master_key::{NoMasterKeyFile, master_key_file};
use super::patience::Patience;
use crate::config::Config;
use crate::tables::TABLES;

/// Opens the configured data for a command: a folder without a running server,
/// or a database in parallel to the hosts that share it. Does not create a
/// store in an empty database.
pub(crate) async fn open_for_command(config: &Config, mode: StoreMode) -> anyhow::Result<Folder> {
    if let Some(options) = database::options(config)? {
        database::refuse_empty(&options).await?;
    }
    match database::reach(config, mode, &mut Patience::none()).await? {
        None => open_folder(config, mode, Arc::new(SystemClock)).await,
        Some(Reached { database, clock }) => {
            open_shared(config, mode, database, Arc::new(clock)).await
        }
    }
}

/// Opens the folder, if nothing is lost.
pub(crate) async fn open_folder(
    config: &Config,
    mode: StoreMode,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Folder> {
    open_folder_with(config, mode, clock, AcceptedLoss::None).await
}

pub(super) async fn open_folder_with(
    config: &Config,
    mode: StoreMode,
    clock: Arc<dyn Clock>,
    accepted_loss: AcceptedLoss,
) -> anyhow::Result<Folder> {
    check_cache(config)?;
    let path = config.store.data.clone();
    let master_key = master_key_file(config, mode).ok_or(NoMasterKeyFile)?;
    let options = FolderOptions {
        path: path.clone(),
        master_key,
        other_master_keys: config.secrets.other_master_key_files.clone(),
        mode,
        cache_bytes: config.store.cache_bytes,
        commits_per_sync: config.store.commits_per_sync,
        accepted_loss,
        clock,
    };
    let opened = Folder::open(&options).await;
    let folder =
        opened.with_context(|| format!("the data folder {} cannot be opened", path.display()))?;
    know_keys(&folder, &path).await?;
    bring_back(&folder).await?;
    Ok(folder)
}

/// Refuses a cache too small for the store.
pub(super) fn check_cache(config: &Config) -> anyhow::Result<()> {
    const LEAST: u64 = SledOptions::LEAST_CACHE_BYTES;
    let bytes = config.store.cache_bytes;
    if bytes < LEAST {
        bail!("store.cache_bytes {bytes} is too little: write {LEAST} or more");
    }
    Ok(())
}

/// Marks the folder of data keys as the store's own if there is no mark and no
/// row names a key: an earlier version created the folder, and no key since.
async fn know_keys(folder: &Folder, path: &Path) -> anyhow::Result<()> {
    let Err(KeyError::FolderAway { .. }) = folder.keys.check().await else {
        return Ok(());
    };
    let named = TABLES.named_content(&folder.store).await;
    if named.context("the rows cannot be read")?.names_keys() {
        return Ok(());
    }
    let keys = path.join("keys");
    match folder.keys.take_for_its_own().await {
        Ok(()) => tracing::warn!(
            folder = %keys.display(),
            "no record refers to a data key yet: this folder is used for data keys"
        ),
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::error!(error, "the folder of data keys counts as unavailable");
        }
    }
    Ok(())
}

/// Moves documents and keys that rows name out of quarantine: their rows were
/// restored since. Failures are left to the daily sweep.
pub(crate) async fn bring_back(folder: &Folder) -> anyhow::Result<()> {
    let sweeper = Sweeper {
        store: &folder.store,
        files: &folder.files,
        keys: &folder.keys,
        tables: TABLES,
    };
    match sweeper.bring_back().await {
        Err(PlatformError::Sweep(error)) => {
            let error: &dyn std::error::Error = &error;
            tracing::error!(error, "the quarantine cannot be read");
            Ok(())
        }
        brought_back => brought_back.map(|_| ()).context("the rows cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::Timestamp;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use parafa_platform::accounts::KeyMode;
    use parafa_platform::rewrap::{Walked, walk};
    use parafa_signing::records::BatchRow;
    use parafa_store::MasterKey;

    fn configured() -> (TempDir, Config) {
        let root = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.store.data = root.path().join("data");
        config.secrets.master_key_file = Some(root.path().join("master.key"));
        (root, config)
    }

    async fn opened(config: &Config) -> Folder {
        let clock = Arc::new(SystemClock);
        let folder = open_folder(config, StoreMode::Production, clock).await;
        folder.unwrap()
    }

    /// Replaces the configured master key by another one.
    fn replace_key(root: &TempDir, config: &mut Config) {
        let [key, old] = ["master.key", "old.key"].map(|name| root.path().join(name));
        fs::rename(&key, &old).unwrap();
        MasterKey::create(&key).unwrap();
        config.secrets.other_master_key_files = vec![old];
    }

    /// Removes the mark, which earlier versions did not write.
    fn unmark(config: &Config) {
        fs::remove_file(config.store.data.join("keys/data-keys")).unwrap();
    }

    #[tokio::test]
    async fn a_store_of_an_earlier_program_that_never_had_a_key_gets_its_first() {
        let (_root, config) = configured();
        drop(opened(&config).await);
        unmark(&config);

        let folder = opened(&config).await;

        folder.keys.create(Uuid::now_v7()).await.unwrap();
    }

    #[tokio::test]
    async fn data_keys_go_over_to_the_next_master_key_across_restarts() {
        const CONTEXT: &[u8] = b"of a test";
        let (root, mut config) = configured();
        let folder = opened(&config).await;
        let mut sealed = Vec::new();
        for _ in 0..50 {
            let id = Uuid::now_v7();
            let key = folder.keys.create(id).await.unwrap();
            sealed.push((id, key.seal(CONTEXT, id.as_bytes()).unwrap()));
        }
        drop(folder);
        replace_key(&root, &mut config);

        let folder = opened(&config).await;
        let walked = walk(&folder.store, &folder.keys, 20).await;
        assert_eq!(walked.unwrap(), Walked::CutShort);
        let (erased, _) = sealed.pop().unwrap();
        assert!(folder.keys.erase(erased).await.unwrap());
        drop(folder);

        let folder = opened(&config).await;
        let rotation = folder.store.key_rotation().await.unwrap().unwrap();
        assert_eq!(rotation.pending(), 30);
        let walked = walk(&folder.store, &folder.keys, usize::MAX).await;
        assert_eq!(walked.unwrap(), Walked::ToRepeat);
        let walked = walk(&folder.store, &folder.keys, usize::MAX).await;
        assert_eq!(walked.unwrap(), Walked::Complete);
        drop(folder);
        config.secrets.other_master_key_files.clear();

        let folder = opened(&config).await;
        for (id, sealed) in &sealed {
            let key = folder.keys.open(*id).await.unwrap();
            assert_eq!(&key.open(CONTEXT, sealed).unwrap()[..], id.as_bytes());
        }
        let gone = folder.keys.open(erased).await;
        assert!(matches!(gone, Err(KeyError::Missing { .. })), "{gone:?}");
    }

    #[tokio::test]
    async fn a_data_key_that_leaves_quarantine_amid_a_walk_goes_over_too() {
        let (root, mut config) = configured();
        let folder = opened(&config).await;
        let ids = [(); 3].map(|()| Uuid::now_v7());
        for id in ids {
            folder.keys.create(id).await.unwrap();
        }
        drop(folder);
        replace_key(&root, &mut config);
        let folder = opened(&config).await;
        let place = config.store.data.join("keys");
        let quarantine = place.join("quarantine");
        fs::create_dir(&quarantine).unwrap();
        let [place, quarantine] = [place, quarantine].map(|it| it.join(format!("{}.key", ids[0])));
        fs::rename(&place, &quarantine).unwrap();

        let mut walks = Vec::new();
        for most in [usize::MAX, 1, usize::MAX, usize::MAX, usize::MAX] {
            let walked = walk(&folder.store, &folder.keys, most).await.unwrap();
            if walked == Walked::CutShort {
                fs::rename(&quarantine, &place).unwrap();
            }
            walks.push(walked);
        }

        assert_eq!(
            walks,
            [
                Walked::ToRepeat,
                Walked::CutShort,
                Walked::ToRepeat,
                Walked::ToRepeat,
                Walked::Complete
            ]
        );
        drop(folder);
        config.secrets.other_master_key_files.clear();
        let folder = opened(&config).await;
        for id in ids {
            folder.keys.open(id).await.unwrap();
        }
    }

    #[tokio::test]
    async fn keys_that_rows_name_are_away_where_there_is_none() {
        let (_root, config) = configured();
        let folder = opened(&config).await;
        let row = &BatchRow {
            id: Uuid::now_v7(),
            tenant: Uuid::nil(),
            mode: KeyMode::Live,
            created_at: Timestamp::UNIX_EPOCH,
            signings: Vec::new(),
            data_key: Uuid::now_v7(),
            private: None,
            parties: Vec::new(),
            held: Vec::new(),
        };
        let stored = folder
            .store
            .transact(|tx| Box::pin(async move { tx.insert(row).await }));
        stored.await.unwrap();
        drop(folder);
        unmark(&config);

        let folder = opened(&config).await;

        let away = folder.keys.check().await;
        assert!(matches!(away, Err(KeyError::FolderAway { .. })), "{away:?}");
        let created = folder.keys.create(Uuid::now_v7()).await;
        assert!(created.is_err());
    }
}
