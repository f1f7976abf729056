//! Transactions over an engine.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parafa_traces::TARGET;
use tracing::{Instrument, Span, info_span};
use uuid::Uuid;

use crate::engine::{Commit, CommitOutcome, Engine, EngineError};
use crate::error::StoreError;
use crate::files;
use crate::ids::IdSource;
use crate::sums::{Moved, Sums, ledger};
use crate::table::{Table, layout};
use crate::transaction::Transaction;

mod opening;

/// Future returned by a transaction's closure.
pub type BoxFuture<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// Retries of a conflicting transaction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RetryPolicy {
    /// Most attempts, including the first.
    pub attempts: u32,
    /// The first pause; each further one is up to twice as long.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 40,
            first_pause: Duration::from_micros(500),
            longest_pause: Duration::from_millis(20),
        }
    }
}

/// The records of one deployment. Clones share the engine.
#[derive(Clone)]
pub struct Store {
    engine: Arc<dyn Engine>,
    ids: Arc<IdSource>,
    retry: RetryPolicy,
    counts: Arc<Counters>,
    sums: Arc<Sums>,
    created_at: Option<Timestamp>,
}

/// Counts of this process's transactions: commits and conflicts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TransactionCounts {
    /// Committed transactions, including those whose body returned an error.
    pub commits: u64,
    /// Conflicts, whether retried or given up.
    pub conflicts: u64,
}

#[derive(Debug, Default)]
struct Counters {
    commits: AtomicU64,
    conflicts: AtomicU64,
}

impl Store {
    /// Returns the same store with another retry policy.
    #[must_use]
    pub fn with_retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// Runs `body` until its reads and writes happen atomically; returns its result once they are
    /// durable.
    ///
    /// On a conflict the body runs again from the start, so it must have no effects outside the
    /// transaction. Its error discards its writes, and is returned only if its reads are still
    /// current.
    ///
    /// # Errors
    /// The body's own; [`StoreError::Contention`] after too many conflicts; an engine failure.
    pub async fn transact<'env, T, E, F>(&self, body: F) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send + Sync,
    {
        let mut conflicts = 0;
        loop {
            let mut tx = self.begin().await?;
            let result = body(&mut tx).await;
            let moved = match &result {
                Ok(_) => tx.take_moved(),
                Err(_) => Moved::default(),
            };
            if self.is_shared() {
                ledger::enter(&mut tx, &moved)?;
            }
            let commit = tx.into_commit(result.is_ok());
            let committed = self.commit(commit, moved).instrument(self.commit_span());
            match committed.await {
                Ok(CommitOutcome::Committed) => {
                    self.counts.commits.fetch_add(1, Ordering::Relaxed);
                    return result;
                }
                Ok(CommitOutcome::Conflict { key }) => {
                    self.counts.conflicts.fetch_add(1, Ordering::Relaxed);
                    conflicts += 1;
                    if conflicts >= self.retry.attempts {
                        return Err(E::from(StoreError::Contention {
                            table: layout::table_of(&key),
                            attempts: conflicts,
                        }));
                    }
                    self.pause(conflicts).await?;
                }
                Err(failure) => return Err(result.err().unwrap_or_else(|| failed(failure))),
            }
        }
    }

    /// Runs `body` once, without proof that all its reads are of one moment: for listings and
    /// views. Each row is complete, and durable when the result is returned.
    ///
    /// # Errors
    /// The body's own; [`StoreError::WriteInRead`]; an engine failure.
    pub async fn read<'env, T, E, F>(&self, body: F) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> FnOnce(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send,
    {
        let mut tx = self.begin().await?;
        let result = body(&mut tx).await?;
        if let Some(table) = tx.written_table() {
            return Err(E::from(StoreError::WriteInRead { table }));
        }
        self.settle().await?;
        Ok(result)
    }

    /// Returns one row by its key, durable.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub async fn get<T: Table>(&self, key: &T::Key) -> Result<Option<T>, StoreError> {
        let row = self.begin().await?.get(key).await?;
        self.settle().await?;
        Ok(row)
    }

    /// Returns the transaction counts of this store and its clones.
    #[must_use]
    pub fn transaction_counts(&self) -> TransactionCounts {
        TransactionCounts {
            commits: self.counts.commits.load(Ordering::Relaxed),
            conflicts: self.counts.conflicts.load(Ordering::Relaxed),
        }
    }

    /// Returns when the store was created, by the engine's time; `None` for a store of an earlier
    /// program. Anything older is not the store's own.
    #[must_use]
    pub fn created_at(&self) -> Option<Timestamp> {
        self.created_at
    }

    /// Returns the engine's time.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.engine.now().await?)
    }

    /// Returns a new UUIDv7 of the engine's time, greater than all those of this process. In a
    /// store that is not shared, it is also greater than those of the rows at opening. For data
    /// keys and byte files, which are created before the transaction that refers to them.
    ///
    /// # Errors
    /// An engine failure, or random bytes that are unavailable.
    pub async fn new_id(&self) -> Result<Uuid, StoreError> {
        self.ids.new_id(self.engine.now().await?)
    }

    /// Verifies, while others commit, that exactly the committed records exist.
    ///
    /// # Errors
    /// [`EngineError::Short`](crate::EngineError::Short), or an engine failure.
    pub async fn verify(&self) -> Result<(), StoreError> {
        Ok(self.engine.verify().await?)
    }

    /// Returns the free bytes on the file system of the records; `None` where the records are not
    /// in a folder.
    ///
    /// # Errors
    /// A file system that does not report it.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        files::free_space(self.engine.folder()).await
    }

    /// Checks that the store can be used; after an I/O error it cannot.
    ///
    /// # Errors
    /// The engine's first failure.
    pub fn health(&self) -> Result<(), StoreError> {
        Ok(self.engine.health()?)
    }

    pub(crate) async fn begin<'env>(&self) -> Result<Transaction<'env>, StoreError> {
        Transaction::begin(self.engine.clone(), self.ids.clone()).await
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    pub(crate) fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Returns whether other hosts may use these records at the same time: cached facts about them
    /// must then be looked up.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }

    /// Creates the trace span of a commit.
    fn commit_span(&self) -> Span {
        let system = if self.is_shared() {
            "postgresql"
        } else {
            "sled"
        };
        info_span!(
            target: TARGET,
            "commit",
            otel.kind = "client",
            db.system.name = system,
            db.operation.name = "commit",
        )
    }

    /// Commits, and moves the sums; completes even if the caller goes away.
    async fn commit(&self, commit: Commit, moved: Moved) -> Result<CommitOutcome, EngineError> {
        if moved.is_empty() {
            return self.engine.commit(commit).await;
        }
        let store = self.clone();
        let committed = tokio::spawn(async move {
            let outcome = store.engine.commit(commit).await;
            match &outcome {
                Ok(CommitOutcome::Committed) if store.is_shared() => {
                    ledger::moved(&store.engine, &store.ids, &moved);
                }
                Ok(CommitOutcome::Committed) => store.sums.apply(&moved),
                _ => {}
            }
            outcome
        });
        committed
            .await
            .unwrap_or_else(|failure| files::resume(failure))
    }

    /// Waits until everything read so far is durable.
    pub(crate) async fn settle(&self) -> Result<(), StoreError> {
        self.engine.commit(crate::Commit::default()).await?;
        Ok(())
    }

    /// Waits for a random part of a time that doubles with every conflict.
    async fn pause(&self, conflicts: u32) -> Result<(), StoreError> {
        let doubled = self
            .retry
            .first_pause
            .saturating_mul(1 << conflicts.min(16));
        let most = doubled.min(self.retry.longest_pause);
        let mut random = [0];
        getrandom::fill(&mut random).map_err(|_| StoreError::Random)?;
        tokio::time::sleep(most * u32::from(random[0]) / 256).await;
        Ok(())
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

fn failed<E: From<StoreError>>(failure: crate::EngineError) -> E {
    E::from(StoreError::from(failure))
}
