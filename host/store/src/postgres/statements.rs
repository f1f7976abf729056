//! Prepared SQL statements.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error};

use crate::engine::{Direction, Scan};

/// A prepared statement of each connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Statement {
    Get,
    GetAll,
    ScanAscending,
    ScanDescending,
    Versions,
    LockForWriting,
    LockForReading,
    Mark,
    Insert,
    Put,
    Delete,
    ClaimDue,
    Time,
    ReadBlob,
    WriteBlob,
}

impl Statement {
    pub(super) const ALL: [Self; 15] = [
        Self::Get,
        Self::GetAll,
        Self::ScanAscending,
        Self::ScanDescending,
        Self::Versions,
        Self::LockForWriting,
        Self::LockForReading,
        Self::Mark,
        Self::Insert,
        Self::Put,
        Self::Delete,
        Self::ClaimDue,
        Self::Time,
        Self::ReadBlob,
        Self::WriteBlob,
    ];

    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::Get => "SELECT version, value FROM parafa_entries WHERE key = $1",
            Self::GetAll => "SELECT key, version, value FROM parafa_entries WHERE key = ANY($1)",
            Self::ScanAscending => {
                "SELECT key, version, value FROM parafa_entries \
                 WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3"
            }
            Self::ScanDescending => {
                "SELECT key, version, value FROM parafa_entries \
                 WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3"
            }
            Self::Versions => "SELECT key, version FROM parafa_entries WHERE key = ANY($1)",
            Self::LockForWriting => {
                "SELECT key, version FROM parafa_entries WHERE key = ANY($1) \
                 ORDER BY key FOR UPDATE"
            }
            Self::LockForReading => {
                "SELECT key, version FROM parafa_entries WHERE key = ANY($1) \
                 ORDER BY key FOR SHARE"
            }
            Self::Mark => "UPDATE parafa_committers SET number = $2, since = now() WHERE id = $1",
            Self::Insert => {
                "INSERT INTO parafa_entries (key, version, value) \
                 SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])"
            }
            Self::Put => {
                "INSERT INTO parafa_entries (key, version, value) \
                 SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) \
                 ON CONFLICT (key) DO UPDATE \
                 SET version = excluded.version, value = excluded.value"
            }
            Self::Delete => "DELETE FROM parafa_entries WHERE key = ANY($1)",
            Self::ClaimDue => {
                "SELECT key, version, value FROM parafa_entries \
                 WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3 FOR UPDATE SKIP LOCKED"
            }
            Self::ReadBlob => {
                "SELECT bytes, content FROM parafa_blobs \
                 WHERE kind = $1 AND id = $2 AND piece >= $3 AND piece < $4 ORDER BY piece"
            }
            Self::WriteBlob => {
                "INSERT INTO parafa_blobs (kind, id, piece, bytes, content) \
                 VALUES ($1, $2, $3, $4, $5)"
            }
            Self::Time => "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
        }
    }
}

/// A scan's statement and parameters.
pub(super) struct ScanParameters<'s> {
    pub(super) statement: Statement,
    start: &'s [u8],
    end: &'s [u8],
    limit: i64,
}

impl<'s> ScanParameters<'s> {
    pub(super) fn of(scan: &'s Scan) -> Self {
        Self {
            statement: match scan.direction {
                Direction::Ascending => Statement::ScanAscending,
                Direction::Descending => Statement::ScanDescending,
            },
            start: &scan.start,
            end: &scan.end,
            limit: i64::try_from(scan.bounded_limit()).unwrap_or(i64::MAX),
        }
    }

    pub(super) fn values(&self) -> [&(dyn ToSql + Sync); 3] {
        [&self.start, &self.end, &self.limit]
    }
}

/// The prepared statements of a connection.
pub(super) struct PreparedStatements(Vec<tokio_postgres::Statement>);

impl PreparedStatements {
    /// Prepares all of them, in about one round trip.
    pub(super) async fn on(client: &Client) -> Result<Self, Error> {
        let prepared = Statement::ALL.map(|statement| client.prepare(statement.sql()));
        Ok(Self(futures::future::try_join_all(prepared).await?))
    }

    pub(super) fn get(&self, statement: Statement) -> &tokio_postgres::Statement {
        let place = Statement::ALL.iter().position(|known| *known == statement);
        place
            .and_then(|place| self.0.get(place))
            .expect("all statements are prepared, in the order of the list")
    }
}
