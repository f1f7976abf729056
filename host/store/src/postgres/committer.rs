//! Committers, which also find the outcome of commits whose answer was lost.

use std::collections::HashMap;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_postgres::Row;
use uuid::Uuid;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::group::{self, Decision, Lock, Locks, Writes};
use super::numbers::Numbers;
use super::queue::{Queue, Request};
use super::session::Session;
use super::statements::Statement;
use crate::engine::{Commit, CommitOutcome, EngineError};

/// Longest pause before a group is retried after a conflict with another transaction.
const LONGEST_PAUSE_MILLIS: u64 = 20;

/// Tasks that commit, each on a connection of its own. They end when this is dropped.
pub(super) struct Committers(mpsc::Sender<Request>);

impl Committers {
    pub(super) fn start(database: &Database, count: NonZeroU16) -> Self {
        let (sender, queue) = Queue::new();
        let queue = Arc::new(queue);
        for _ in 0..count.get() {
            let committer = Committer {
                database: database.clone(),
                connection: None,
            };
            tokio::spawn(committer.work(queue.clone()));
        }
        Self(sender)
    }

    pub(super) async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        let (reply, outcome) = oneshot::channel();
        let request = Request {
            commit,
            until: Instant::now() + PATIENCE,
            reply,
        };
        let stopped = || EngineError::Unavailable {
            reason: "the process is being stopped".into(),
        };
        self.0.send(request).await.map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

/// A task that commits waiting requests.
struct Committer {
    database: Database,
    connection: Option<Connection>,
}

/// A connection that leaves a mark with each commit: the row with its id has the number of the
/// last one. A commit whose answer was lost is found by it.
struct Connection {
    session: Session,
    id: Uuid,
    numbers: Numbers,
}

/// Failure to commit a group.
enum Failure {
    /// Nothing was committed.
    Undone(DatabaseError),
    /// The database was asked to commit and did not answer.
    Unanswered {
        outcomes: Vec<CommitOutcome>,
        number: i64,
        error: DatabaseError,
    },
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Undone(error)
    }
}

impl Committer {
    async fn work(mut self, queue: Arc<Queue>) {
        while let Some(mut group) = queue.next_group().await {
            let requests = std::mem::take(&mut group.requests);
            let commits: Vec<&Commit> = requests.iter().map(|request| &request.commit).collect();
            let outcomes = self.commit(&commits, group.until).await;
            if let Ok(outcomes) = &outcomes {
                self.database.works();
                // A group of conflicts alone is rolled back, and writes nothing.
                if outcomes.contains(&CommitOutcome::Committed) {
                    self.database.note_write(None);
                }
            }
            let outcomes = outcomes.map_err(EngineError::from);
            for (place, request) in requests.into_iter().enumerate() {
                // A caller that has gone away does not need its answer.
                let _ = request.reply.send(match &outcomes {
                    Ok(outcomes) => Ok(outcomes[place].clone()),
                    Err(error) => Err(copy_of(error)),
                });
            }
        }
    }

    /// Retries until the group's outcome is known, or patience ends.
    async fn commit(
        &mut self,
        commits: &[&Commit],
        until: Instant,
    ) -> Result<Vec<CommitOutcome>, DatabaseError> {
        loop {
            let error = match self.try_once(commits, until).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(Failure::Undone(error)) => error,
                Err(Failure::Unanswered {
                    outcomes,
                    number,
                    error,
                }) => {
                    tracing::warn!(%error, number, "a commit was not answered");
                    if self.was_committed(number, until).await? {
                        return Ok(outcomes);
                    }
                    error
                }
            };
            self.database.note_write(Some(&error));
            if !error.may_pass() || Instant::now() >= until {
                return Err(error);
            }
            pause().await;
        }
    }

    async fn try_once(
        &mut self,
        commits: &[&Commit],
        until: Instant,
    ) -> Result<Vec<CommitOutcome>, Failure> {
        let connection = match self.connection.take() {
            Some(connection) if !connection.session.is_broken() => connection,
            _ => Connection::open(&self.database, until).await?,
        };
        let connection = self.connection.insert(connection);
        let number = connection.numbers.next(&connection.session).await?;
        let done = connection.commit(commits, number).await;
        if let Err(Failure::Undone(error)) = &done
            && !error.is_of_connection()
            && connection.session.run("ROLLBACK").await.is_err()
        {
            connection.session.give_up();
        }
        done
    }

    /// Finds out whether an unanswered commit happened: then its connection's mark has its number.
    /// The mark is rewritten for that. The rewrite waits for the transaction to end; as a commit,
    /// it is acknowledged only when all earlier ones are durable. Repeating it, if its own answer
    /// is lost, changes nothing.
    async fn was_committed(&mut self, number: i64, until: Instant) -> Result<bool, DatabaseError> {
        let Some(lost) = self.connection.take() else {
            return Ok(false);
        };
        drop(lost.session);
        // May exceed the commit's own patience: a known outcome is worth the wait.
        let until = until.max(Instant::now() + PATIENCE);
        loop {
            let session = self.database.new_session(until).await?;
            let marked = session
                .query_or_cancel(
                    "UPDATE parafa_committers SET number = number WHERE id = $1 RETURNING number",
                    &[&lost.id],
                )
                .await;
            let error = match marked {
                Ok(_) if session.take_unreplicated() => DatabaseError::Unreplicated { number },
                Ok(rows) => {
                    let mark = rows.first().ok_or(DatabaseError::Unknown { number })?;
                    return Ok(mark.try_get::<_, i64>(0)? == number);
                }
                Err(error) => error,
            };
            if !error.may_pass() || Instant::now() >= until {
                return Err(error);
            }
            tracing::debug!(%error, "looking for a commit is tried again");
            pause().await;
        }
    }
}

impl Connection {
    async fn open(database: &Database, until: Instant) -> Result<Self, DatabaseError> {
        let session = database.new_session(until).await?;
        let id = Uuid::new_v4();
        // Marks of killed processes: their last commits are never looked up. A live one that has
        // been idle for that time reconnects.
        session
            .query_or_cancel(
                "DELETE FROM parafa_committers WHERE since < now() - interval '7 days'",
                &[],
            )
            .await?;
        session
            .query_or_cancel(
                "INSERT INTO parafa_committers (id, number) VALUES ($1, 0)",
                &[&id],
            )
            .await?;
        Ok(Self {
            session,
            id,
            numbers: Numbers::default(),
        })
    }

    async fn commit(
        &self,
        commits: &[&Commit],
        number: i64,
    ) -> Result<Vec<CommitOutcome>, Failure> {
        let found = self.lock(&Locks::of(commits), number).await?;
        let Decision { outcomes, writes } = Decision::of(commits, &found, number.unsigned_abs());
        if writes.is_empty() {
            self.session.run("ROLLBACK").await?;
            return Ok(outcomes);
        }
        match self.write(&writes, number).await {
            Ok(()) if self.session.take_unreplicated() => Err(Failure::Unanswered {
                outcomes,
                number,
                error: DatabaseError::Unreplicated { number },
            }),
            Ok(()) => Ok(outcomes),
            Err(error) if error.is_of_connection() => Err(Failure::Unanswered {
                outcomes,
                number,
                error,
            }),
            Err(error) => Err(Failure::Undone(error)),
        }
    }

    /// Begins, writes the mark, and locks; returns the versions of the existing keys.
    async fn lock(
        &self,
        locks: &Locks<'_>,
        number: i64,
    ) -> Result<HashMap<Vec<u8>, u64>, DatabaseError> {
        let session = &self.session;
        let locked = locks.0.iter().map(|(lock, keys)| async move {
            let statement = match lock {
                Lock::Reading => Statement::LockForReading,
                Lock::Writing => Statement::LockForWriting,
            };
            session.query(statement, &[keys]).await
        });
        // Sent in this order, without waiting for answers in between.
        let (begun, marked, locked) = tokio::join!(
            biased;
            session.run("BEGIN ISOLATION LEVEL READ COMMITTED"),
            async { session.execute(Statement::Mark, &[&self.id, &number]).await },
            try_join_all(locked),
        );
        begun?;
        if marked? != 1 {
            session.give_up();
            return Err(DatabaseError::Unmarked);
        }
        let rows: Vec<Row> = locked?.into_iter().flatten().collect();
        group::versions(&rows)
    }

    /// Writes and commits.
    async fn write(&self, writes: &Writes<'_>, number: i64) -> Result<(), DatabaseError> {
        let (inserted, put, deleted, committed) = tokio::join!(
            biased;
            self.write_entries(Statement::Insert, &writes.inserts, number),
            self.write_entries(Statement::Put, &writes.puts, number),
            async {
                if writes.deletes.is_empty() {
                    return Ok(0);
                }
                let deletes = &writes.deletes;
                self.session.execute(Statement::Delete, &[deletes]).await
            },
            self.session.run("COMMIT"),
        );
        // A database that refused one of the statements has rolled back, yet acknowledges the
        // commit.
        inserted?;
        put?;
        deleted?;
        committed
    }

    async fn write_entries(
        &self,
        statement: Statement,
        entries: &[(&[u8], &[u8])],
        number: i64,
    ) -> Result<u64, DatabaseError> {
        if entries.is_empty() {
            return Ok(0);
        }
        let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = entries.iter().copied().unzip();
        let numbers = vec![number; entries.len()];
        self.session
            .execute(statement, &[&keys, &numbers, &values])
            .await
    }
}

/// Waits for a random part of the longest pause.
async fn pause() {
    let mut random = [0];
    // Without random bytes there is no pause.
    let _ = getrandom::fill(&mut random);
    let millis = LONGEST_PAUSE_MILLIS * u64::from(random[0]) / 256;
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

fn copy_of(error: &EngineError) -> EngineError {
    match error {
        EngineError::Damaged { what } => EngineError::Damaged { what },
        error => EngineError::Unavailable {
            reason: error.to_string().into(),
        },
    }
}
