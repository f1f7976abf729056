//! The engine for several hosts, on PostgreSQL or a database with its protocol and SQL.
//!
//! All entries are rows of one table, with the number of the commit that wrote each of them. The
//! SQL is plain: no advisory locks, no `LISTEN`, no functions of our own.
//!
//! A commit takes two round trips. The first locks the expected and written keys; the second
//! writes and ends the transaction. Commits that wait at the same time are made in one
//! transaction, and wait briefly for others while one is in progress.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU16;
use std::sync::Arc;

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::Timestamp;

pub(crate) use self::blobs::{Kind, PostgresBlobs};
use self::claims::Claims;
pub use self::clock::DatabaseClock;
use self::committer::Committers;
pub use self::content::DatabaseContent;
pub use self::database::{Database, DatabaseOptions, PATIENCE};
pub(crate) use self::deployment::Deployment;
pub use self::durability::Weakness;
pub use self::error::DatabaseError;
pub use self::look::DatabaseLook;
pub use self::migrations::MIGRATIONS;
pub use self::obstacle::Obstacle;
pub(crate) use self::quarantine::SharedQuarantine;
use self::rows::{entry, versioned};
use self::snapshot::Snapshots;
use self::statements::{ScanParameters, Statement};
use crate::clock::Clock;
use crate::engine::{
    ClaimDue, Commit, CommitOutcome, DueEntry, Engine, EngineError, EntriesCopy, Entry, Scan,
    Version, Versioned,
};

mod blobs;
mod claims;
mod clock;
mod committer;
mod content;
mod database;
mod deployment;
mod durability;
mod encryption;
mod error;
mod group;
mod hosts;
mod left_behind;
mod look;
mod migrations;
mod numbers;
mod obstacle;
mod pooler;
mod quarantine;
mod queue;
mod rows;
mod session;
mod sessions;
mod snapshot;
mod statements;

/// The engine on PostgreSQL.
pub struct PostgresEngine {
    database: Database,
    committers: Committers,
    claims: Claims,
    clock: Arc<dyn Clock>,
}

impl PostgresEngine {
    /// Default number of concurrent commits, each on a connection of its own.
    pub const DEFAULT_COMMITTERS: NonZeroU16 = NonZeroU16::new(4).expect("it is not zero");

    /// Creates an engine on a database, with the time of `clock`: the [`DatabaseClock`], or one
    /// derived from it.
    #[must_use]
    pub fn new(database: Database, committers: NonZeroU16, clock: Arc<dyn Clock>) -> Self {
        Self {
            committers: Committers::start(&database, committers),
            claims: Claims::new(database.clone()),
            database,
            clock,
        }
    }
}

#[async_trait]
impl Engine for PostgresEngine {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        let rows = self.database.query(Statement::Get, &[&key]).await?;
        let row = rows.first();
        Ok(row.map(|row| versioned(row, 0)).transpose()?)
    }

    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let rows = self.database.query(Statement::GetAll, &[&wanted]).await?;
        let found = rows.iter().map(|row| {
            let Entry { key, stored } = entry(row)?;
            Ok((key, stored))
        });
        let found: HashMap<Bytes, Versioned> = found.collect::<Result<_, DatabaseError>>()?;
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        let scan = ScanParameters::of(&scan);
        let rows = self.database.query(scan.statement, &scan.values()).await?;
        Ok(rows.iter().map(entry).collect::<Result<_, _>>()?)
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        commit.check_limits()?;
        if commit.is_empty() {
            // Everything readable is durable: the database shows no commit before it is.
            return Ok(CommitOutcome::Committed);
        }
        if commit.is_read_only() {
            return self.check(&commit).await;
        }
        self.committers.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        Ok(self.clock.now())
    }

    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        self.claims.claim(&claim).await
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        let snapshots = Snapshots::of(self.database.clone());
        Ok(EntriesCopy::Snapshots(Box::new(snapshots)))
    }

    fn health(&self) -> Result<(), EngineError> {
        self.database.health()
    }

    fn is_shared(&self) -> bool {
        true
    }
}

impl PostgresEngine {
    /// Compares the expectations with one state of the database.
    async fn check(&self, commit: &Commit) -> Result<CommitOutcome, EngineError> {
        let expectations = &commit.expectations;
        let keys: Vec<&[u8]> = expectations.iter().map(|(key, _)| &key[..]).collect();
        let rows = self.database.query(Statement::Versions, &[&keys]).await?;
        let found = group::versions(&rows)?;
        let differs = expectations
            .iter()
            .find(|(key, expected)| found.get(&key[..]).copied() != expected.map(Version::number));
        Ok(match differs {
            None => CommitOutcome::Committed,
            Some((key, _)) => CommitOutcome::Conflict { key: key.clone() },
        })
    }
}

impl fmt::Debug for PostgresEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresEngine").finish_non_exhaustive()
    }
}
