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

/// What a transaction's closure returns.
pub type BoxFuture<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// How a conflicting transaction is tried again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RetryPolicy {
    /// Most attempts, the first one included.
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

/// How often transactions of this process were committed, and how often they
/// met another one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TransactionCounts {
    /// Committed, the bodies' errors included.
    pub commits: u64,
    /// Begun anew after a conflict, or given up.
    pub conflicts: u64,
}

#[derive(Debug, Default)]
struct Counters {
    commits: AtomicU64,
    conflicts: AtomicU64,
}

impl Store {
    /// The same store with another way of retrying.
    #[must_use]
    pub fn with_retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// Runs `body` until its reads and writes happen as one, and answers with its result once
    /// they are durable.
    ///
    /// On a conflict the body runs again from the start, so it must have no effect but on the
    /// transaction. Its error undoes its writes, and is believed only if what it read still
    /// holds.
    ///
    /// # Errors
    /// The body's own; [`StoreError::Contention`] after too many conflicts; the engine's.
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
    /// views. Each row is whole, and durable when the result is returned.
    ///
    /// # Errors
    /// The body's own; [`StoreError::WriteInRead`]; the engine's.
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

    /// One row by its key, durable when returned.
    ///
    /// # Errors
    /// When the engine fails or the row is not of type `T`.
    pub async fn get<T: Table>(&self, key: &T::Key) -> Result<Option<T>, StoreError> {
        let row = self.begin().await?.get(key).await?;
        self.settle().await?;
        Ok(row)
    }

    /// What became of the transactions of this store and its clones.
    #[must_use]
    pub fn transaction_counts(&self) -> TransactionCounts {
        TransactionCounts {
            commits: self.counts.commits.load(Ordering::Relaxed),
            conflicts: self.counts.conflicts.load(Ordering::Relaxed),
        }
    }

    /// When the store was made, by the engine's time; not known of one that an earlier program
    /// made. Whatever is older is none of its own.
    #[must_use]
    pub fn created_at(&self) -> Option<Timestamp> {
        self.created_at
    }

    /// The engine's time.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.engine.now().await?)
    }

    /// A new UUIDv7 of the engine's time, greater than all that this process has made before and,
    /// where it has the store alone, than those of the rows that the store was opened with.
    /// For what is made before the transaction that refers to it: data keys and byte files.
    ///
    /// # Errors
    /// When the engine fails or the operating system gives no random bytes.
    pub async fn new_id(&self) -> Result<Uuid, StoreError> {
        self.ids.new_id(self.engine.now().await?)
    }

    /// Proves that every record is there that was committed, and no other, while others commit.
    ///
    /// # Errors
    /// [`EngineError::Short`](crate::EngineError::Short), or the engine's failure.
    pub async fn verify(&self) -> Result<(), StoreError> {
        Ok(self.engine.verify().await?)
    }

    /// Bytes that are free on the file system of the records; none where no folder keeps them, so
    /// that nobody can tell.
    ///
    /// # Errors
    /// When the file system does not tell.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        files::free_space(self.engine.folder()).await
    }

    /// Whether the store can be used; after an I/O error, why not.
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

    /// Whether other hosts may work with these records at the same time: what is known of them has
    /// to be looked up then.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }

    /// What a trace says of a commit.
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

    /// Commits, and moves the sums of what was committed: also where whoever waits for it goes
    /// away meanwhile.
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

    /// Waits until everything that was read so far is durable.
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
