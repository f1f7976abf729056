//! Answers of which the rest is asked for later, maybe at another host: kept for some minutes,
//! sealed, for whoever got them alone.

use std::time::Duration;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{
    AnyIndex, Content, Guard, Index, MAX_PAGE_ROWS, Named, Page, Table, TableName, Transaction,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::PlatformError;
use crate::jobs::TIMERS;
use crate::records::{PendingDeletion, Records};

/// The kind of the job that drops a kept answer whose time is over.
pub const DROP_KEPT_ANSWER: &str = "drop-kept-answer";

/// An answer that is kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeptAnswerRow {
    /// Its id, which whoever goes on names.
    pub id: Uuid,
    /// The API key that it was given to.
    pub api_key: Uuid,
    /// Keyed digest of what was asked.
    pub question: String,
    /// Until when it is kept.
    pub until: Timestamp,
    /// Its length, in bytes.
    pub bytes: u64,
    /// The key that it is sealed under, of its own.
    pub data_key: Uuid,
    /// The file that it is in.
    pub file: Uuid,
}

/// The answers of an API key.
pub const ANSWERS_OF_KEY: Index<KeptAnswerRow, Uuid> =
    Index::many("of_key", |row| vec![row.api_key]);

impl Table for KeptAnswerRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("kept_answers");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        let mut named = Named::key(self.data_key);
        named.files.insert(self.file);
        named
    }

    /// It goes before its row does, and a backup without it lacks nothing.
    fn needed(&self, _at: Timestamp) -> Named {
        Named::default()
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&ANSWERS_OF_KEY]
    }
}

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeptAnswerLimits {
    /// For how long.
    pub kept: Duration,
    /// Bytes of one API key's answers; the oldest make room.
    pub bytes_of_key: u64,
}

/// Answers that are kept. Clones share them.
#[derive(Clone)]
pub struct KeptAnswers {
    records: Records,
    limits: KeptAnswerLimits,
}

#[derive(Deserialize, Serialize)]
struct Payload {
    answer: Uuid,
    #[serde(rename = "remains")]
    pending_deletion: PendingDeletion,
}

impl KeptAnswers {
    /// Keeps answers in these records.
    #[must_use]
    pub fn new(records: Records, limits: KeptAnswerLimits) -> Self {
        Self { records, limits }
    }

    /// Keeps an answer for a key and what it asked; gives its id. The oldest of the key's make
    /// room for it.
    ///
    /// # Errors
    /// When something that is kept fails.
    pub async fn keep(
        &self,
        key: Uuid,
        question: &str,
        body: Bytes,
    ) -> Result<Uuid, PlatformError> {
        let store = &self.records.store;
        let data_key = store.new_id().await?;
        let sealing = self.records.keys.create(data_key).await?;
        let file = store.new_id().await?;
        let bytes = body.len() as u64;
        let row = async {
            self.records.files.write(&sealing, file, body).await?;
            let kept = SignedDuration::try_from(self.limits.kept).unwrap_or(SignedDuration::MAX);
            Ok::<_, PlatformError>(KeptAnswerRow {
                id: Uuid::new_v4(),
                api_key: key,
                question: self.question(question),
                until: shifted(store.now().await?, kept),
                bytes,
                data_key,
                file,
            })
        };
        let room = self.limits.bytes_of_key;
        let stored = match row.await {
            Ok(row) => {
                let row = &row;
                let stored = store.transact(|tx| {
                    Box::pin(async move {
                        let dropped = make_room(tx, key, room.saturating_sub(row.bytes)).await?;
                        tx.insert(row).await?;
                        schedule_drop(tx, row).await?;
                        Ok::<_, PlatformError>((row.id, dropped))
                    })
                });
                stored.await
            }
            Err(error) => Err(error),
        };
        match stored {
            Ok((id, dropped)) => {
                // If it fails, their jobs do it.
                let _ = self.records.delete(&dropped).await;
                Ok(id)
            }
            Err(error) => {
                if error.proves_nothing_stored() {
                    self.records.discard_bytes(file).await;
                    self.records.discard_key(data_key).await;
                }
                Err(error)
            }
        }
    }

    /// The answer with this id, if it is this key's, to this question, and its time is not over.
    ///
    /// # Errors
    /// When something that is kept fails.
    pub async fn find(
        &self,
        id: Uuid,
        key: Uuid,
        question: &str,
    ) -> Result<Option<Bytes>, PlatformError> {
        let store = &self.records.store;
        let row = store.get::<KeptAnswerRow>(&id).await?;
        let now = store.now().await?;
        let question = self.question(question);
        let own =
            row.filter(|row| row.api_key == key && row.question == question && now < row.until);
        let Some(row) = own else {
            return Ok(None);
        };
        let opened = async {
            let sealing = self.records.data_key(row.data_key).await?;
            Ok::<_, PlatformError>(self.records.files.read(&sealing, row.file).await?)
        };
        match opened.await {
            // Its time ends at this moment.
            Err(error) if error.is_missing() => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Drops an answer whose time is over, or what is left of one that was dropped.
    ///
    /// # Errors
    /// When something that is kept fails.
    pub async fn drop_answer(&self, job: &ClaimedJob) -> Result<(), PlatformError> {
        let Payload {
            answer,
            pending_deletion,
        } = job.payload()?;
        self.records.delete(&pending_deletion).await?;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    tx.delete::<KeptAnswerRow>(&answer).await?;
                    Ok(jobs::complete(tx, job).await?)
                })
            })
            .await
    }

    fn question(&self, question: &str) -> String {
        let digest = self.records.master.index("kept-answer", question);
        digest.to_string()
    }
}

/// Forgets the oldest answers of a key until the others have at most `bytes`; gives what they
/// were in, which their jobs delete too.
async fn make_room(
    tx: &mut Transaction<'_>,
    key: Uuid,
    bytes: u64,
) -> Result<PendingDeletion, PlatformError> {
    let page = Page::oldest(MAX_PAGE_ROWS);
    let found = tx.page_by(&ANSWERS_OF_KEY, &key, &page, Guard::none());
    let mut rows = found.await?.rows;
    rows.sort_by_key(|row| row.until);
    let mut used: u64 = rows.iter().map(|row| row.bytes).sum();
    let mut dropped = PendingDeletion::default();
    let mut oldest = rows.into_iter();
    while used > bytes
        && let Some(row) = oldest.next()
    {
        used -= row.bytes;
        tx.delete::<KeptAnswerRow>(&row.id).await?;
        let now = tx.now();
        jobs::hasten(tx, TIMERS, &jobs::unique_key(DROP_KEPT_ANSWER, row.id), now).await?;
        dropped.data_keys.push(row.data_key);
        dropped.byte_files.push(row.file);
    }
    Ok(dropped)
}

async fn schedule_drop(tx: &mut Transaction<'_>, row: &KeptAnswerRow) -> Result<(), PlatformError> {
    let payload = Payload {
        answer: row.id,
        pending_deletion: PendingDeletion {
            data_keys: vec![row.data_key],
            byte_files: vec![row.file],
        },
    };
    let payload = serde_json::json!(payload);
    Ok(jobs::schedule(tx, (TIMERS, DROP_KEPT_ANSWER), row.id, row.until, payload).await?)
}
