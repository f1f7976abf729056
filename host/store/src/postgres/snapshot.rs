//! Snapshots: all entries as of one moment, in a read-only transaction.

use async_trait::async_trait;
use tokio::time::Instant;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::rows::entry;
use super::session::Session;
use super::statements::ScanParameters;
use crate::engine::{EngineError, Entry, Scan, Snapshot, SnapshotSource};

/// Source of a database's snapshots.
pub(super) struct Snapshots(Database);

/// A connection with the transaction in progress. A backup's work between two scans may take
/// long.
struct Shown(Session);

impl Snapshots {
    pub(super) fn of(database: Database) -> Self {
        Self(database)
    }
}

#[async_trait]
impl SnapshotSource for Snapshots {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, EngineError> {
        let session = self.0.new_session(Instant::now() + PATIENCE).await?;
        session
            .run("SET idle_in_transaction_session_timeout = 0")
            .await?;
        session
            .run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await?;
        Ok(Box::new(Shown(session)))
    }
}

#[async_trait]
impl Snapshot for Shown {
    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        let scan = ScanParameters::of(&scan);
        let rows = self.0.query(scan.statement, &scan.values()).await?;
        let entries = rows.iter().map(entry);
        Ok(entries.collect::<Result<_, DatabaseError>>()?)
    }
}
