//! Byte files and data keys that no row names. They are made before the row
//! that names them, so a crash in between leaves them; once a day they are
//! removed.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::{Guard, Page, Store, StoreError, Table};
use uuid::Uuid;

use super::lanes::TIMERS;
use super::lease;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    BatchRow, FileRow, IdempotencyRow, IdempotencyState, NoticeRow, SealedAnswer, SigningRow,
};

/// The kind of the job.
pub(crate) const SWEEP: &str = "sweep";

/// Time between two sweeps.
const EVERY: SignedDuration = SignedDuration::from_hours(24);
/// Rows that are read at once.
const PAGE_ROWS: usize = 256;

impl App {
    /// Has the sweep done once a day from now on, by whichever host.
    pub(crate) async fn schedule_sweep(&self) -> Result<(), StoreError> {
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let job = NewJob {
                        lane: TIMERS,
                        kind: SWEEP.to_owned(),
                        due: tx.now(),
                        unique: Some(SWEEP.to_owned()),
                        payload: serde_json::Value::Null,
                    };
                    jobs::enqueue(tx, job).await?;
                    Ok(())
                })
            })
            .await
    }

    /// Removes what no row names, and comes again a day later.
    pub(crate) async fn sweep(&self, job: &mut ClaimedJob) -> Result<(), WorkflowError> {
        let swept = lease::hold(&self.store, job, self.remove_ownerless()).await?;
        let (files, keys) = swept?;
        if files + keys > 0 {
            tracing::info!(files, keys, "ownerless byte files and data keys removed");
        }
        let job = &*job;
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let next = tx.now().saturating_add(EVERY).unwrap_or(Timestamp::MAX);
                    Ok(jobs::retry(tx, job, next).await?)
                })
            })
            .await
    }

    /// Files and keys that are young are left, so that one whose row is being
    /// committed meanwhile is none of them.
    async fn remove_ownerless(&self) -> Result<(usize, usize), WorkflowError> {
        let owned = &Owned::of(&self.store).await?;
        let now = self.store.now().await?;
        let files = self.files.sweep(now, |ids| async move {
            Ok::<_, WorkflowError>(among(ids, &owned.files))
        });
        let files = files.await?;
        let keys = self.keys.sweep(now, |ids| async move {
            Ok::<_, WorkflowError>(among(ids, &owned.keys))
        });
        Ok((files, keys.await?))
    }
}

/// All ids that rows name. Every table that names a byte file or a data key
/// has its part here.
#[derive(Debug, Default)]
struct Owned {
    files: HashSet<Uuid>,
    keys: HashSet<Uuid>,
}

impl Owned {
    async fn of(store: &Store) -> Result<Self, StoreError> {
        let mut owned = Self::default();
        every(store, |row: SigningRow| {
            let versions = row.versions.iter().chain(&row.artifact);
            owned.files.extend(versions.map(|version| version.bytes_id));
            owned.keys.insert(row.data_key);
        })
        .await?;
        every(store, |row: FileRow| {
            owned.files.insert(row.id);
            owned.keys.insert(row.data_key);
        })
        .await?;
        every(store, |row: BatchRow| {
            owned.keys.insert(row.data_key);
        })
        .await?;
        every(store, |row: NoticeRow| {
            owned.keys.insert(row.data_key);
        })
        .await?;
        every(store, |row: IdempotencyRow| {
            if let IdempotencyState::Answered {
                data_key, answer, ..
            } = row.state
            {
                owned.keys.insert(data_key);
                if let SealedAnswer::File(id) = answer {
                    owned.files.insert(id);
                }
            }
        })
        .await?;
        Ok(owned)
    }
}

/// Visits every row of a table.
async fn every<T: Table>(store: &Store, mut visit: impl FnMut(T)) -> Result<(), StoreError> {
    let mut page = Page::oldest(PAGE_ROWS);
    loop {
        let this = &page;
        let paged = store
            .read(|tx| Box::pin(async move { tx.page::<T>(this, Guard::none()).await }))
            .await?;
        let last = paged.rows.last().map(Table::key);
        paged.rows.into_iter().for_each(&mut visit);
        if !paged.more || last.is_none() {
            return Ok(());
        }
        page.after = last;
    }
}

fn among(ids: Vec<Uuid>, owned: &HashSet<Uuid>) -> HashSet<Uuid> {
    ids.into_iter().filter(|id| owned.contains(id)).collect()
}
