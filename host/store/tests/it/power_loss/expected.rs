//! Expected content after a loss of power.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use parafa_store::bytes::ByteFileError;
use parafa_store::{Folder, Guard, KeyError, Page, Sha256Digest, StoreError, StoredFile};
use uuid::Uuid;

use super::workload::{
    ACCOUNTS, BY_NAME, Document, LINES, Line, Mark, TASKS, account_id, line_name,
};
use crate::folder::options;
use crate::support::{Account, put_all};

/// An account that the recorded process does not use.
const FRESH_ACCOUNT: u32 = 1_000;

/// Everything that was acknowledged.
#[derive(Default)]
pub(super) struct Expected {
    /// The last round of each task.
    rounds: BTreeMap<u32, u32>,
    keys: BTreeSet<Uuid>,
    files: BTreeMap<Uuid, (Uuid, StoredFile)>,
    documents: BTreeMap<Uuid, Document>,
    deleted_documents: BTreeSet<Uuid>,
    erased_keys: BTreeSet<Uuid>,
    unlinked_files: BTreeSet<Uuid>,
}

impl Expected {
    pub(super) fn note(&mut self, mark: Mark) {
        match mark {
            Mark::Opened | Mark::Together => {}
            Mark::Committed { task, round } => {
                self.rounds.insert(task, round);
            }
            Mark::KeyCreated(key) => {
                self.keys.insert(key);
            }
            Mark::FileWritten { key, file } => {
                self.files.insert(file.id, (key, file));
            }
            Mark::DocumentPut(document) => {
                self.documents.insert(document.id, document);
            }
            Mark::Erasing(document) => {
                self.keys.remove(&document.data_key);
                self.files.remove(&document.file.id);
                self.documents.remove(&document.id);
            }
            Mark::DocumentDeleted(id) => {
                self.deleted_documents.insert(id);
            }
            Mark::KeyErased(key) => {
                self.erased_keys.insert(key);
            }
            Mark::FileUnlinked(id) => {
                self.unlinked_files.insert(id);
            }
        }
    }

    /// Opens the folder, checks everything, writes and checks again.
    ///
    /// # Errors
    /// Anything missing, back or incomplete.
    pub(super) async fn check(&self, disk: &Path) -> Result<(), String> {
        let folder = Folder::open(&options(disk)).await.map_err(told)?;
        self.check_commits(&folder).await?;
        self.check_documents(&folder).await?;
        self.check_files(&folder).await?;
        let fresh = Account {
            id: FRESH_ACCOUNT,
            balance: 1,
        };
        put_all(&folder.store, std::slice::from_ref(&fresh)).await;
        drop(folder);

        let folder = Folder::open(&options(disk)).await.map_err(told)?;
        let found = folder.store.get::<Account>(&fresh.id).await.map_err(told)?;
        if found != Some(fresh) {
            return Err("what was committed after the loss is lost".to_owned());
        }
        self.check_commits(&folder).await
    }

    async fn check_commits(&self, folder: &Folder) -> Result<(), String> {
        for task in 0..TASKS {
            let mut balances = BTreeSet::new();
            for which in 0..ACCOUNTS {
                let id = account_id(task, which);
                let account = folder.store.get::<Account>(&id).await.map_err(told)?;
                balances.insert(account.map_or(0, |account| account.balance));
            }
            let (Some(found), 1) = (balances.first(), balances.len()) else {
                return Err(format!("task {task} has half a commit: {balances:?}"));
            };
            let found = u32::try_from(*found).map_err(told)?;
            let acknowledged = self.rounds.get(&task).copied().unwrap_or_default();
            if found < acknowledged {
                return Err(format!(
                    "task {task} is at {found}, and {acknowledged} was acknowledged"
                ));
            }
            check_lines(folder, task, found).await?;
        }
        Ok(())
    }

    async fn check_documents(&self, folder: &Folder) -> Result<(), String> {
        let found = folder
            .store
            .read(|tx| {
                Box::pin(async {
                    tx.page::<Document>(&Page::oldest(1_000), Guard::none())
                        .await
                })
            })
            .await
            .map_err(told::<StoreError>)?
            .rows;
        for (id, document) in &self.documents {
            if !found.contains(document) {
                return Err(format!("the document {id} is lost"));
            }
        }
        for document in &found {
            if self.deleted_documents.contains(&document.id) {
                return Err(format!("the deleted document {} is back", document.id));
            }
            check_file(folder, document.data_key, &document.file).await?;
        }
        Ok(())
    }

    async fn check_files(&self, folder: &Folder) -> Result<(), String> {
        for key in &self.keys {
            folder.keys.open(*key).await.map_err(told)?;
        }
        for (key, file) in self.files.values() {
            check_file(folder, *key, file).await?;
        }
        for key in &self.erased_keys {
            if !matches!(folder.keys.open(*key).await, Err(KeyError::Missing { .. })) {
                return Err(format!("the erased key {key} is back"));
            }
        }
        let any_key = folder.master.sealing_key("any");
        for id in &self.unlinked_files {
            let read = folder.files.read(&any_key, *id).await;
            if !matches!(read, Err(ByteFileError::Missing { .. })) {
                return Err(format!("the unlinked file {id} is back"));
            }
        }
        Ok(())
    }
}

/// Checks that exactly the lines of the last rounds exist, complete and in their
/// index.
async fn check_lines(folder: &Folder, task: u32, round: u32) -> Result<(), String> {
    let found = folder
        .store
        .read(|tx| {
            Box::pin(async move { tx.children::<Line>(&(task,), 1_000, Guard::none()).await })
        })
        .await
        .map_err(told::<StoreError>)?
        .rows;
    let first = (round + 1).saturating_sub(LINES).max(1);
    let wanted: Vec<Line> = (first..=round)
        .map(|round| Line::new(task, round))
        .collect();
    if found != wanted {
        let rounds: Vec<u32> = found.iter().map(|line| line.round).collect();
        return Err(format!("task {task} at {round} has the lines {rounds:?}"));
    }
    let named = folder
        .store
        .read(|tx| {
            Box::pin(async move {
                let mut named = Vec::new();
                for old in 1..=round {
                    let line = tx.find(&BY_NAME, &line_name(task, old)).await?;
                    named.extend(line.map(|line| line.round));
                }
                Ok(named)
            })
        })
        .await
        .map_err(told::<StoreError>)?;
    if !named.iter().copied().eq(first..=round) {
        return Err(format!("task {task} at {round} has the names {named:?}"));
    }
    Ok(())
}

async fn check_file(folder: &Folder, key: Uuid, file: &StoredFile) -> Result<(), String> {
    let opened = folder.keys.open(key).await.map_err(told)?;
    let content = folder.files.read(&opened, file.id).await.map_err(told)?;
    if Sha256Digest::of(&content) != file.sha256 {
        return Err(format!("the file {} has another content", file.id));
    }
    Ok(())
}

fn told<E: std::error::Error>(error: E) -> String {
    let source = error.source().map(|source| format!(": {source}"));
    format!("{error}{}", source.unwrap_or_default())
}
