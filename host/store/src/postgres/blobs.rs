//! Blobs in the database, in pieces.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use ::bytes::{Bytes, BytesMut};
use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::FuturesOrdered;
use tokio::time::Instant;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::session::Session;
use super::sessions::Sessions;
use super::statements::Statement;
use crate::blobs::{BlobContent, BlobError, BlobStore, Listed, Part, READ_AHEAD_BYTES};
use crate::files;

/// Length of every piece except the last, in bytes.
const PIECE_BYTES: u64 = 256 * 1024;
/// Pieces of a blob in flight at the same time.
const SENT_AT_ONCE: usize = 2;
/// Blobs of one kind written or removed at the same time on this host.
const WRITERS: usize = 4;

/// Kinds of blobs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// The content of a byte file.
    ByteFile,
    /// A data key.
    DataKey,
}

impl Kind {
    /// Returns the stored number of the kind.
    pub(super) fn number(self) -> i16 {
        match self {
            Self::ByteFile => 1,
            Self::DataKey => 2,
        }
    }
}

/// The blobs of one kind.
pub(crate) struct PostgresBlobs {
    database: Database,
    kind: Kind,
    /// Connections separate from those shared by reads: waits for a disk or a standby would delay
    /// reads, and only exclusive use shows whose write was not replicated.
    writers: Sessions,
}

impl PostgresBlobs {
    pub(crate) fn new(database: &Database, kind: Kind) -> Self {
        Self {
            database: database.clone(),
            kind,
            writers: Sessions::new(database, WRITERS),
        }
    }

    async fn insert(&self, id: Uuid, blob: &dyn BlobContent) -> Result<(), DatabaseError> {
        let short = (blob.bytes() as u64 <= PIECE_BYTES).then(|| blob.whole());
        let until = Instant::now() + PATIENCE;
        loop {
            let session = self.writers.borrow().await?;
            let written = match &short {
                Some(whole) => self.insert_piece(&session, id, 0, whole.len(), whole).await,
                None => self.insert_pieces(&session, id, blob).await,
            };
            match written {
                Err(error) if error.is_of_connection() && Instant::now() < until => {
                    tracing::debug!(%error, "a blob is written again");
                }
                Ok(()) if session.take_unreplicated() => return Err(DatabaseError::Unconfirmed),
                Ok(()) => {
                    session.give_back();
                    self.database.note_write(None);
                    return Ok(());
                }
                // The connection may have a transaction, and is closed.
                Err(error) => {
                    self.database.note_write(Some(&error));
                    return Err(error);
                }
            }
        }
    }

    /// Writes a blob of several pieces in one transaction, so that an interrupted write leaves
    /// nothing. With a single statement, the client would hold the blob twice, and keep a buffer of
    /// its length per connection. `COPY` would wait forever for a vanished client, and its answer
    /// comes before that of its commit.
    async fn insert_pieces(
        &self,
        session: &Session,
        id: Uuid,
        blob: &dyn BlobContent,
    ) -> Result<(), DatabaseError> {
        let bytes = blob.bytes();
        let piece_bytes = usize::try_from(PIECE_BYTES).expect("a piece fits into memory");
        let mut pieces = blob.pieces(piece_bytes);
        let mut sent = FuturesOrdered::new();
        session.run("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        for number in 0_i32.. {
            let (piece, later) = files::blocking(move || (pieces.next(), pieces)).await;
            pieces = later;
            let Some(piece) = piece else {
                break;
            };
            sent.push_back(
                async move { self.insert_piece(session, id, number, bytes, &piece).await },
            );
            if sent.len() == SENT_AT_ONCE
                && let Some(written) = sent.next().await
            {
                written?;
            }
        }
        while let Some(written) = sent.next().await {
            written?;
        }
        session.run("COMMIT").await
    }

    /// Writes a piece of a blob of this length.
    async fn insert_piece(
        &self,
        session: &Session,
        id: Uuid,
        number: i32,
        bytes: usize,
        content: &[u8],
    ) -> Result<(), DatabaseError> {
        let kind = self.kind.number();
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let row: [&(dyn ToSql + Sync); 5] = [&kind, &id, &number, &bytes, &content];
        session.execute(Statement::WriteBlob, &row).await?;
        Ok(())
    }

    /// Ensures that an existing blob is on the standbys too, by a later commit, which they cannot
    /// have any sooner.
    async fn confirm(&self, id: Uuid) -> Result<(), DatabaseError> {
        let session = self.writers.borrow().await?;
        session
            .query_or_cancel(
                "UPDATE parafa_blobs SET since = since WHERE kind = $1 AND id = $2 AND piece = 0",
                &[&self.kind.number(), &id],
            )
            .await?;
        if session.take_unreplicated() {
            return Err(DatabaseError::Unconfirmed);
        }
        session.give_back();
        Ok(())
    }

    /// Returns consecutive pieces and the length of the blob; `None` if it does not exist.
    async fn pieces(&self, id: Uuid, numbers: Range<i32>) -> Result<Option<Part>, DatabaseError> {
        let rows = self
            .database
            .query(
                Statement::ReadBlob,
                &[&self.kind.number(), &id, &numbers.start, &numbers.end],
            )
            .await?;
        let mut bytes = BytesMut::new();
        let mut whole = None;
        for row in &rows {
            whole = Some(row.try_get::<_, i64>(0)?.unsigned_abs());
            bytes.extend_from_slice(row.try_get(1)?);
        }
        Ok(whole.map(|whole| Part {
            bytes: bytes.freeze(),
            whole,
        }))
    }
}

#[async_trait]
impl BlobStore for PostgresBlobs {
    async fn write(&self, id: Uuid, blob: Box<dyn BlobContent>) -> Result<(), BlobError> {
        let written = self.insert(id, &*blob).await;
        match written {
            Err(error) if is_there_already(&error) => {
                let found = self.read(id).await?;
                // No two sealed blobs are equal. If this one is there, this call wrote it, and the
                // answer was lost.
                let is_this = move || found.is_some_and(|found| found == blob.whole());
                match files::blocking(is_this).await {
                    true => Ok(self.confirm(id).await?),
                    false => Err(BlobError::Exists { id }),
                }
            }
            written => Ok(written?),
        }
    }

    async fn replace(&self, id: Uuid, from: Bytes, to: Bytes) -> Result<bool, BlobError> {
        let bytes = i64::try_from(to.len()).unwrap_or(i64::MAX);
        let (from, to): (&[u8], &[u8]) = (&from, &to);
        let session = self.writers.borrow().await?;
        let replaced = session
            .query_once(
                "UPDATE parafa_blobs SET bytes = $3, content = $4 \
                 WHERE kind = $1 AND id = $2 AND piece = 0 AND content = $5 RETURNING piece",
                &[&self.kind.number(), &id, &bytes, &to, &from],
            )
            .await?;
        if session.take_unreplicated() {
            return Err(DatabaseError::Unconfirmed.into());
        }
        session.give_back();
        Ok(!replaced.is_empty())
    }

    async fn read(&self, id: Uuid) -> Result<Option<Bytes>, BlobError> {
        let Some(first) = self.pieces(id, 0..1).await? else {
            return Ok(None);
        };
        let mut all = BytesMut::from(first.bytes);
        while (all.len() as u64) < first.whole {
            let begin = all.len() as u64;
            let end = first.whole.min(begin + READ_AHEAD_BYTES);
            match self.read_range(id, begin..end).await? {
                Some(part) if !part.bytes.is_empty() => all.extend_from_slice(&part.bytes),
                // The blob was removed meanwhile.
                _ => return Ok(None),
            }
        }
        Ok(Some(all.freeze()))
    }

    async fn read_range(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError> {
        let first = range.start / PIECE_BYTES;
        let number = |piece: u64| i32::try_from(piece).unwrap_or(i32::MAX);
        let numbers = number(first)..number(range.end.div_ceil(PIECE_BYTES));
        let Some(mut part) = self.pieces(id, numbers).await? else {
            return Ok(None);
        };
        let within = |at: u64| {
            let at = usize::try_from(at - first * PIECE_BYTES).unwrap_or(usize::MAX);
            at.min(part.bytes.len())
        };
        part.bytes = part.bytes.slice(within(range.start)..within(range.end));
        Ok(Some(part))
    }

    fn read_at_once(&self) -> u64 {
        READ_AHEAD_BYTES
    }

    async fn remove(&self, id: Uuid) -> Result<bool, BlobError> {
        let session = self.writers.borrow().await?;
        let removed = session
            .query_once(
                "DELETE FROM parafa_blobs WHERE kind = $1 AND id = $2 RETURNING piece",
                &[&self.kind.number(), &id],
            )
            .await?;
        if session.take_unreplicated() {
            return Err(DatabaseError::Unconfirmed.into());
        }
        session.give_back();
        Ok(!removed.is_empty())
    }

    async fn list(&self) -> Result<Vec<Listed>, BlobError> {
        const MOST: i64 = 4096;
        let mut listed: Vec<Listed> = Vec::new();
        loop {
            let after = listed.last().map_or(Uuid::nil(), |last| last.id);
            let session = self.writers.borrow().await?;
            let rows = session
                .query_once(
                    "SELECT id, (extract(epoch FROM clock_timestamp() - since) * 1000000)::bigint \
                     FROM parafa_blobs WHERE kind = $1 AND piece = 0 AND id > $2 \
                     ORDER BY id LIMIT $3",
                    &[&self.kind.number(), &after, &MOST],
                )
                .await?;
            session.give_back();
            if rows.is_empty() {
                return Ok(listed);
            }
            for row in rows {
                let rest: i64 = row.try_get(1).map_err(DatabaseError::from)?;
                listed.push(Listed {
                    id: row.try_get(0).map_err(DatabaseError::from)?,
                    rest: Duration::from_micros(rest.max(0).unsigned_abs()),
                    is_unfinished: false,
                });
            }
        }
    }

    /// Does nothing: a blob is written by one transaction, so unfinished ones do not exist.
    async fn remove_unfinished(&self, _: Uuid) -> Result<(), BlobError> {
        Ok(())
    }

    async fn check(&self) -> Result<(), BlobError> {
        self.database.query(Statement::Time, &[]).await?;
        Ok(())
    }
}

fn is_there_already(error: &DatabaseError) -> bool {
    let DatabaseError::Postgres(error) = error else {
        return false;
    };
    error.code() == Some(&SqlState::UNIQUE_VIOLATION)
}

impl From<DatabaseError> for BlobError {
    fn from(error: DatabaseError) -> Self {
        error.log_refusal();
        Self::Unavailable {
            reason: error.to_string().into(),
        }
    }
}

impl fmt::Debug for PostgresBlobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresBlobs")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
