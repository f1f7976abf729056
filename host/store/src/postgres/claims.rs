//! Claims of due entries that do not wait for other hosts.

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::database::{Database, PATIENCE, within};
use super::error::DatabaseError;
use super::numbers::Numbers;
use super::rows::entry;
use super::session::Session;
use super::statements::Statement;
use crate::clock::shifted;
use crate::engine::due::{Moves, due_range};
use crate::engine::{ClaimDue, DueEntry, EngineError, Entry};

/// The connection for this process's claims, one after the other.
pub(super) struct Claims {
    database: Database,
    connection: Mutex<Option<(Session, Numbers)>>,
}

impl Claims {
    pub(super) fn new(database: Database) -> Self {
        Self {
            database,
            connection: Mutex::new(None),
        }
    }

    /// Claims entries that no other transaction has locked. If the database's answer is lost,
    /// they may be claimed nevertheless; they then wait for the end of the lease.
    pub(super) async fn claim(&self, claim: &ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        let until = Instant::now() + PATIENCE;
        let mut connection = within(until, self.connection.lock()).await?;
        loop {
            let (session, mut numbers) = match connection.take() {
                Some((session, numbers)) if !session.is_broken() => (session, numbers),
                _ => (self.database.new_session(until).await?, Numbers::default()),
            };
            let claimed = try_once(&session, &mut numbers, claim).await;
            if claimed.is_err() && !session.is_broken() && session.run("ROLLBACK").await.is_err() {
                session.give_up();
            }
            *connection = Some((session, numbers));
            match &claimed {
                Ok(claimed) if !claimed.is_empty() => self.database.note_write(None),
                Err(Failure::Database(error)) => self.database.note_write(Some(error)),
                _ => {}
            }
            match claimed {
                Err(Failure::Database(error)) if error.may_pass() && Instant::now() < until => {
                    tracing::debug!(%error, "a claim is tried again");
                }
                Err(Failure::Database(error)) => return Err(error.into()),
                Err(Failure::Entry(error)) => return Err(error),
                Ok(claimed) => return Ok(claimed),
            }
        }
    }
}

enum Failure {
    Database(DatabaseError),
    Entry(EngineError),
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}

async fn try_once(
    session: &Session,
    numbers: &mut Numbers,
    claim: &ClaimDue,
) -> Result<Vec<DueEntry>, Failure> {
    let number = numbers.next(session).await?;
    let range = due_range(claim);
    let limit = i64::try_from(range.bounded_limit()).unwrap_or(i64::MAX);
    let (begun, rows) = tokio::join!(
        biased;
        session.run("BEGIN ISOLATION LEVEL READ COMMITTED"),
        async {
            session
                .query(Statement::ClaimDue, &[&range.start, &range.end, &limit])
                .await
        },
    );
    begun?;
    let entries: Vec<Entry> = rows?.iter().map(entry).collect::<Result<_, _>>()?;
    if entries.is_empty() {
        session.run("ROLLBACK").await?;
        return Ok(Vec::new());
    }
    let until = shifted(claim.now, claim.lease);
    let moves = Moves::of(entries, &claim.queue, until).map_err(Failure::Entry)?;
    let commit = moves.as_commit();
    let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = commit
        .puts
        .iter()
        .map(|(key, value)| (&key[..], &value[..]))
        .unzip();
    let deletes: Vec<&[u8]> = commit.deletes.iter().map(|key| &key[..]).collect();
    let versions = vec![number; keys.len()];
    let (put, deleted, committed) = tokio::join!(
        biased;
        async {
            session
                .execute(Statement::Put, &[&keys, &versions, &values])
                .await
        },
        async { session.execute(Statement::Delete, &[&deletes]).await },
        session.run("COMMIT"),
    );
    put?;
    deleted?;
    committed?;
    if session.take_unreplicated() {
        // After a failover another host may claim them, so they wait for the end of the lease.
        return Err(DatabaseError::Unreplicated { number }.into());
    }
    Ok(moves.into_entries())
}
