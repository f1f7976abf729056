//! Sums as rows, for a shared store.
//!
//! A counter moved by every commit of an owner would serialize these commits. Instead each commit
//! adds its differences as a separate row, which no other commit touches, and a sum is that of an
//! owner's entries. From time to time they are folded into one.

use std::collections::HashMap;
use std::sync::Arc;

use ::bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::amounts::{Differences, Moved, QuotaKey};
use crate::content::Content;
use crate::engine::{Commit, CommitOutcome, Direction, Engine, Entry, MAX_SCAN_ENTRIES, Scan};
use crate::error::StoreError;
use crate::ids::IdSource;
use crate::key::{Key, past_prefix};
use crate::table::{Table, TableName, decode, encode, layout};
use crate::transaction::Transaction;

/// Average number of an owner's commits between two folds of its entries.
const FOLDED_EVERY: u8 = 32;
/// Entries folded at once, and written at once by the initial count.
pub(super) const AT_ONCE: usize = 512;

/// Differences of an owner's sums by a commit, or by several folded ones.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct SumRow {
    owner: Uuid,
    part: bool,
    id: Uuid,
    amounts: [i64; 2],
}

impl Table for SumRow {
    type Key = (Uuid, bool, Uuid);
    const NAME: TableName = TableName::reserved("_sum");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {
        (self.owner, self.part, self.id)
    }
}

impl SumRow {
    fn new((owner, part): QuotaKey, id: Uuid, differences: Differences) -> Self {
        let most = if differences.iter().any(|one| *one < 0) {
            i64::MIN
        } else {
            i64::MAX
        };
        Self {
            owner,
            part,
            id,
            amounts: differences.map(|one| i64::try_from(one).unwrap_or(most)),
        }
    }

    fn of(&self) -> QuotaKey {
        (self.owner, self.part)
    }
}

/// Adds the differences of a transaction to its writes.
pub(crate) fn enter(tx: &mut Transaction<'_>, moved: &Moved) -> Result<(), StoreError> {
    enter_each(tx, moved.differences())
}

pub(super) fn enter_each(
    tx: &mut Transaction<'_>,
    moved: impl Iterator<Item = (QuotaKey, Differences)>,
) -> Result<(), StoreError> {
    for (of, differences) in moved {
        let row = SumRow::new(of, tx.new_id()?, differences);
        let key = layout::row::<SumRow>(&row.key());
        tx.write(key, Some(encode(&row)?.into()))?;
    }
    Ok(())
}

/// Folds the entries of the moved sums from time to time.
pub(crate) fn moved(engine: &Arc<dyn Engine>, ids: &Arc<IdSource>, moved: &Moved) {
    let mut drawn = [0];
    if getrandom::fill(&mut drawn).is_err() || drawn[0] % FOLDED_EVERY != 0 {
        return;
    }
    for (of, _) in moved.differences() {
        let (engine, ids) = (engine.clone(), ids.clone());
        tokio::spawn(async move {
            if let Err(error) = fold(&*engine, &ids, of).await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(
                    error,
                    "entries of the ledger could not be added up; retrying later"
                );
            }
        });
    }
}

/// Returns the sum of an owner's part. With more than a thousand entries, some that are folded
/// meanwhile may be missed or counted twice.
pub(super) async fn sum(engine: &dyn Engine, of: &QuotaKey) -> Result<Differences, StoreError> {
    let mut sum = [0, 0];
    let mut start = entries_of(of);
    let end = past_prefix(&start);
    loop {
        let entries = entries(engine, start, &end, MAX_SCAN_ENTRIES).await?;
        for entry in &entries {
            add(&mut sum, &decode(&entry.stored.value)?);
        }
        match entries.last() {
            Some(last) if entries.len() == MAX_SCAN_ENTRIES => start = after(last),
            _ => return Ok(sum),
        }
    }
}

/// Returns the sums of all owners. Commits made meanwhile may be missed.
pub(super) async fn all(engine: &dyn Engine) -> Result<HashMap<QuotaKey, Differences>, StoreError> {
    let mut sums = HashMap::new();
    let mut start = layout::table::<SumRow>();
    let end = past_prefix(&start);
    loop {
        let entries = entries(engine, start, &end, MAX_SCAN_ENTRIES).await?;
        let rows = entries.iter().map(|entry| decode(&entry.stored.value));
        let rows = rows.collect::<Result<Vec<SumRow>, _>>()?;
        let Some(last) = rows.last().map(SumRow::of) else {
            break;
        };
        for row in &rows {
            add(sums.entry(row.of()).or_default(), row);
        }
        // The entries of the owner at the end of the page are read again together.
        let of_last = entries_of(&last);
        if rows.len() == MAX_SCAN_ENTRIES {
            sums.insert(last, sum(engine, &last).await?);
        }
        start = past_prefix(&of_last);
    }
    sums.retain(|_, sum| *sum != [0, 0]);
    Ok(sums)
}

/// Folds an owner's entries into one, unless another host does.
async fn fold(engine: &dyn Engine, ids: &IdSource, of: QuotaKey) -> Result<(), StoreError> {
    let start = entries_of(&of);
    let end = past_prefix(&start);
    loop {
        let entries = entries(engine, start.clone(), &end, AT_ONCE).await?;
        let found = entries.len();
        if found < 2 {
            return Ok(());
        }
        let mut sum = [0, 0];
        let mut commit = Commit::default();
        for Entry { key, stored } in entries {
            add(&mut sum, &decode(&stored.value)?);
            commit
                .expectations
                .push((key.clone(), Some(stored.version)));
            commit.deletes.push(key);
        }
        if sum != [0, 0] {
            let row = SumRow::new(of, ids.new_id(engine.now().await?)?, sum);
            let key = Bytes::from(layout::row::<SumRow>(&row.key()));
            commit.puts.push((key, encode(&row)?.into()));
        }
        let folded = engine.commit(commit).await?;
        if found < AT_ONCE || folded != CommitOutcome::Committed {
            return Ok(());
        }
    }
}

fn add(sum: &mut Differences, row: &SumRow) {
    for (sum, amount) in sum.iter_mut().zip(row.amounts) {
        *sum += i128::from(amount);
    }
}

pub(super) async fn entries(
    engine: &dyn Engine,
    start: Vec<u8>,
    end: &[u8],
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let scan = Scan {
        start,
        end: end.to_vec(),
        direction: Direction::Ascending,
        limit,
    };
    Ok(engine.scan(scan).await?)
}

/// Returns the key prefix of an owner's entries.
fn entries_of(of: &QuotaKey) -> Vec<u8> {
    let mut start = layout::table::<SumRow>();
    of.encode(&mut start);
    start
}

fn after(entry: &Entry) -> Vec<u8> {
    let mut after = entry.key.to_vec();
    after.push(0);
    after
}
