//! Stored answers with a rest to be fetched later, perhaps from another host. They are kept for
//! some minutes, sealed, for their receiver only.

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

/// Kind of the job that deletes an expired answer.
pub const DROP_KEPT_ANSWER: &str = "drop-kept-answer";

/// A stored answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeptAnswerRow {
    /// Its id, by which the rest is requested.
    pub id: Uuid,
    /// The API key of its receiver.
    pub api_key: Uuid,
    /// Keyed digest of the question.
    pub question: String,
    /// Time of expiry.
    pub until: Timestamp,
    /// Its length, in bytes.
    pub bytes: u64,
    /// Its own sealing key.
    pub data_key: Uuid,
    /// The file with its content.
    pub file: Uuid,
}

/// Index of the answers by API key.
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

    /// Needs nothing: the content is deleted before the row, and a backup without it is
    /// complete.
    fn needed(&self, _at: Timestamp) -> Named {
        Named::default()
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&ANSWERS_OF_KEY]
    }
}

/// Limits of stored answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeptAnswerLimits {
    /// Time until expiry.
    pub kept: Duration,
    /// Bytes of one API key's answers; the oldest are deleted to make room.
    pub bytes_of_key: u64,
}

/// Stored answers. Clones share them.
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
    /// Stores answers in these records.
    #[must_use]
    pub fn new(records: Records, limits: KeptAnswerLimits) -> Self {
        Self { records, limits }
    }

    /// Stores an answer for a key and its question; returns its id. The key's oldest answers are
    /// deleted to make room.
    ///
    /// # Errors
    /// When the store, a file or a key fails.
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

    /// Returns the answer with this id, if it is this key's, to this question, and not expired.
    ///
    /// # Errors
    /// When the store, a file or a key fails.
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
            // The answer expires at this moment.
            Err(error) if error.is_missing() => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Deletes an expired answer, or the rest of a deleted one.
    ///
    /// # Errors
    /// When the store, a file or a key fails.
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

/// Deletes the rows of a key's oldest answers until the others have at most `bytes`; returns
/// their content, which their jobs delete too.
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
