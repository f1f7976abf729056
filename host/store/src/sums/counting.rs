//! Initial count of all rows for sums stored as rows: once in the life of a shared store.

use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::amounts::Moved;
use super::ledger::{AT_ONCE, SumRow, enter_each, entries};
use crate::content::Content;
use crate::error::StoreError;
use crate::key::past_prefix;
use crate::lease::{self, Acquired, Lease};
use crate::store::Store;
use crate::table::{Table, TableName, layout};
use crate::tables::TableDeclaration;

/// Name of the lease for counting.
const COUNTING: &str = "sums";
const TURN: SignedDuration = SignedDuration::from_secs(30);
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// Interval at which a host that waits for the count checks for its end.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Row that is present when the ledger has every commit, and everything before it.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct CompleteRow {}

impl Table for CompleteRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_sums_complete");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

/// Counts the existing rows unless that is done, under a lease shared by all hosts.
pub(super) async fn begin(store: &Store, tables: &[TableDeclaration]) -> Result<(), StoreError> {
    while store.get::<CompleteRow>(&()).await?.is_none() {
        let acquired = store
            .transact(|tx| Box::pin(lease::acquire(tx, COUNTING, "host", TURN)))
            .await?;
        match acquired {
            Acquired::Taken(turn) => match count(store, tables, turn).await {
                // Another host counts by now.
                Err(StoreError::LeaseLost { .. }) => {}
                counted => return counted,
            },
            Acquired::Busy { .. } => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
    Ok(())
}

async fn count(
    store: &Store,
    tables: &[TableDeclaration],
    mut turn: Lease,
) -> Result<(), StoreError> {
    let counted = {
        let begun = turn.clone();
        let mut counting = std::pin::pin!(async {
            clear(store, Some(&begun)).await?;
            counted(store, tables).await
        });
        loop {
            tokio::select! {
                counted = &mut counting => break counted?,
                () = tokio::time::sleep(RENEW_EVERY) => {}
            }
            let held = &turn;
            turn = store
                .transact(|tx| Box::pin(lease::renew(tx, held, TURN)))
                .await?;
        }
    };
    let counted: Vec<_> = counted.differences().collect();
    let turn = &turn;
    for some in counted.chunks(AT_ONCE) {
        store
            .transact(|tx| {
                Box::pin(async move {
                    lease::confirm(tx, turn).await?;
                    enter_each(tx, some.iter().copied())
                })
            })
            .await?;
    }
    store
        .transact(|tx| {
            Box::pin(async move {
                lease::confirm(tx, turn).await?;
                lease::release(tx, turn).await?;
                tx.put(&CompleteRow {}).await
            })
        })
        .await
}

/// Deletes the ledger in a store of a single process, which does not maintain it.
pub(super) async fn end(store: &Store) -> Result<(), StoreError> {
    let ended = store.transact(|tx| Box::pin(async move { tx.delete::<CompleteRow>(&()).await }));
    match ended.await? {
        true => clear(store, None).await,
        false => Ok(()),
    }
}

/// Removes all entries. In a shared store only while the counting lease lasts: later entries belong
/// to another count.
async fn clear(store: &Store, turn: Option<&Lease>) -> Result<(), StoreError> {
    let start = layout::table::<SumRow>();
    let end = past_prefix(&start);
    loop {
        let entries = entries(store.engine(), start.clone(), &end, AT_ONCE).await?;
        if entries.is_empty() {
            return Ok(());
        }
        let entries = &entries;
        let cleared = store.transact(|tx| {
            Box::pin(async move {
                if let Some(turn) = turn {
                    lease::confirm(tx, turn).await?;
                }
                for entry in entries {
                    tx.write(entry.key.to_vec(), None)?;
                }
                Ok::<_, StoreError>(())
            })
        });
        cleared.await?;
    }
}

/// Adds up the rows of these tables.
pub(super) async fn counted(
    store: &Store,
    tables: &[TableDeclaration],
) -> Result<Moved, StoreError> {
    let mut all = Moved::default();
    for table in tables {
        table.count(store, &mut all).await?;
    }
    Ok(all)
}
