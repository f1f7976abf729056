//! Removals and quarantine of blobs shared by hosts.
//!
//! Nothing is moved: a row names each blob in quarantine. A removal by any host therefore finds the
//! blob in its only place.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::blobs::Kind;
use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::session::Session;
use super::sessions::{Lent, Sessions};
use crate::blobs::{BlobError, BlobStore, Held, Hold, Quarantine};

/// Removals of one kind in progress at the same time on this host.
const REMOVERS: usize = 4;
/// Time that a hold waits for running removals.
const HOLD_PATIENCE: Duration = Duration::from_secs(60);
/// Interval at which a waiting removal checks for an announced hold.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Interval of statements that protect an open transaction from the idle timeout.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// The quarantine of the blobs of one kind.
pub(crate) struct SharedQuarantine {
    database: Database,
    kind: Kind,
    sessions: Sessions,
}

impl SharedQuarantine {
    pub(crate) fn new(database: &Database, kind: Kind) -> Self {
        Self {
            database: database.clone(),
            kind,
            sessions: Sessions::new(database, REMOVERS),
        }
    }

    /// Begins a removal's transaction, either before a hold or after it. An announced hold goes
    /// first: a database grants shared locks ahead of a waiting exclusive one, and removals never
    /// cease.
    async fn begin(&self) -> Result<Lent<'_>, DatabaseError> {
        let until = Instant::now() + PATIENCE;
        loop {
            let session = self.sessions.borrow().await?;
            let begun = async {
                if self.is_hold_announced(&session).await? && Instant::now() < until {
                    return Ok(false);
                }
                lock(&session, self.kind, "FOR SHARE").await.map(|()| true)
            };
            match begun.await {
                Ok(false) => {
                    session.give_back();
                    tokio::time::sleep(LOOK_EVERY).await;
                }
                Err(error)
                    if (error.is_of_connection() || error.is_of_another())
                        && Instant::now() < until =>
                {
                    tracing::debug!(%error, "a removal is begun again");
                }
                begun => return begun.map(|_| session),
            }
        }
    }

    async fn is_hold_announced(&self, session: &Session) -> Result<bool, DatabaseError> {
        let holds = session
            .query_once(
                "SELECT kind FROM parafa_holds WHERE kind = $1 AND until > clock_timestamp()",
                &[&self.kind.number()],
            )
            .await?;
        Ok(!holds.is_empty())
    }

    /// Announces a hold, for a little longer than the lock is waited for.
    async fn announce_hold(&self, until: Instant) -> Result<(), DatabaseError> {
        let session = self.database.new_session(until).await?;
        session
            .query_or_cancel(
                "INSERT INTO parafa_holds (kind, until) \
                 VALUES ($1, clock_timestamp() + interval '6 seconds') \
                 ON CONFLICT (kind) DO UPDATE SET until = excluded.until",
                &[&self.kind.number()],
            )
            .await?;
        Ok(())
    }

    /// Withdraws the announcement in the background: from now on removals wait for the lock. If
    /// this fails, the announcement expires soon.
    fn take_back_hold(&self, until: Instant) {
        let (database, kind) = (self.database.clone(), self.kind.number());
        tokio::spawn(async move {
            let taken_back = async {
                let session = database.new_session(until).await?;
                let delete = "DELETE FROM parafa_holds WHERE kind = $1";
                session.query_or_cancel(delete, &[&kind]).await
            };
            if let Err(error) = taken_back.await {
                tracing::debug!(%error, "removals wait for longer than they have to");
            }
        });
    }

    /// Changes rows of the quarantine; returns their number.
    async fn change(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<usize, BlobError> {
        let session = self.begin().await?;
        let rows = session.query_once(sql, parameters).await?;
        commit(session).await?;
        Ok(rows.len())
    }
}

#[async_trait]
impl Quarantine for SharedQuarantine {
    async fn remove(&self, blobs: &dyn BlobStore, id: Uuid) -> Result<bool, BlobError> {
        let session = self.begin().await?;
        let was_there = while_kept(&session, blobs.remove(id)).await?;
        session
            .query_once(
                "DELETE FROM parafa_quarantine WHERE kind = $1 AND id = $2",
                &[&self.kind.number(), &id],
            )
            .await?;
        commit(session).await?;
        Ok(was_there)
    }

    async fn put_away(&self, ids: &[Uuid], now: Timestamp) -> Result<usize, BlobError> {
        self.change(
            "INSERT INTO parafa_quarantine (kind, id, since) \
             SELECT $1::smallint, id, $3::bigint FROM unnest($2::uuid[]) AS ids (id) \
             ON CONFLICT (kind, id) DO NOTHING RETURNING id",
            &[&self.kind.number(), &ids, &now.as_microsecond()],
        )
        .await
    }

    async fn bring_back(&self, ids: &[Uuid]) -> Result<usize, BlobError> {
        self.change(
            "DELETE FROM parafa_quarantine WHERE kind = $1 AND id = ANY($2) RETURNING id",
            &[&self.kind.number(), &ids],
        )
        .await
    }

    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, BlobError> {
        let session = self.sessions.borrow().await?;
        let rows = session
            .query_once(
                "SELECT id, since FROM parafa_quarantine WHERE kind = $1",
                &[&self.kind.number()],
            )
            .await?;
        session.give_back();
        let waiting = rows.iter().map(|row| {
            let since = Timestamp::from_microsecond(row.try_get(1)?);
            Ok((row.try_get(0)?, since.ok()))
        });
        Ok(waiting.collect::<Result<_, DatabaseError>>()?)
    }

    async fn close(&self) -> Result<(), BlobError> {
        Ok(())
    }

    async fn hold_removals(&self) -> Result<Hold, BlobError> {
        let until = Instant::now() + HOLD_PATIENCE;
        let mut announces = true;
        loop {
            // Without an announcement the lock may take longer. It cannot be written while a
            // standby is unavailable.
            if announces && let Err(error) = self.announce_hold(until).await {
                tracing::debug!(%error, "removals are held without an announcement");
                announces = false;
            }
            let session = self.database.new_session(until).await?;
            match lock(&session, self.kind, "FOR UPDATE").await {
                Err(error)
                    if (error.is_of_connection() || error.is_of_another())
                        && Instant::now() < until =>
                {
                    tracing::debug!(%error, "removals are still under way");
                }
                locked => {
                    locked?;
                    self.take_back_hold(until);
                    return Ok(Box::new(HeldByRow::new(session)));
                }
            }
        }
    }
}

/// Begins a transaction that locks the row of removals with this strength.
async fn lock(session: &Session, kind: Kind, strength: &str) -> Result<(), DatabaseError> {
    let select = format!("SELECT kind FROM parafa_removals WHERE kind = $1 {strength}");
    session.run("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    let rows = session.query_once(&select, &[&kind.number()]).await?;
    if rows.len() != 1 {
        return Err(DatabaseError::Damaged {
            what: "the row that removals lock",
        });
    }
    Ok(())
}

/// Runs `work` while protecting the session's transaction from the idle timeout.
async fn while_kept<T>(
    session: &Session,
    work: impl Future<Output = Result<T, BlobError>>,
) -> Result<T, BlobError> {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(KEEP_EVERY) => session.run("SELECT 1").await?,
        }
    }
}

async fn commit(session: Lent<'_>) -> Result<(), DatabaseError> {
    session.run("COMMIT").await?;
    if session.take_unreplicated() {
        return Err(DatabaseError::Unconfirmed);
    }
    session.give_back();
    Ok(())
}

/// A hold: a transaction that has locked the row of removals. It ends with its connection.
struct HeldByRow {
    session: Arc<Session>,
    keeping: AbortHandle,
}

impl HeldByRow {
    fn new(session: Session) -> Self {
        let session = Arc::new(session);
        let kept = session.clone();
        let keeping = tokio::spawn(async move {
            while kept.run("SELECT 1").await.is_ok() {
                tokio::time::sleep(KEEP_EVERY).await;
            }
        });
        Self {
            session,
            keeping: keeping.abort_handle(),
        }
    }
}

#[async_trait]
impl Held for HeldByRow {
    async fn check(&self) -> Result<(), BlobError> {
        Ok(self.session.run("SELECT 1").await?)
    }
}

impl Drop for HeldByRow {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

impl fmt::Debug for SharedQuarantine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedQuarantine")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use parafa_test_services::{Postgres, PostgresDatabase};

    use super::*;
    use crate::postgres::{DatabaseOptions, PostgresBlobs};

    /// Returns the data keys as seen by a host of its own.
    async fn host(database: &PostgresDatabase) -> (Database, PostgresBlobs, SharedQuarantine) {
        let options = DatabaseOptions {
            url: database.url.clone(),
            connections: DatabaseOptions::DEFAULT_CONNECTIONS,
            tls: rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth(),
        };
        let database = Database::open(&options).await.expect("a database");
        let blobs = PostgresBlobs::new(&database, Kind::DataKey);
        let quarantine = SharedQuarantine::new(&database, Kind::DataKey);
        (database, blobs, quarantine)
    }

    async fn until_somebody_waits(database: &Database) {
        until_somebody(database, "wait_event_type = 'Lock'").await;
    }

    /// Waits until a connection meets this condition.
    async fn until_somebody(database: &Database, is_so: &str) {
        let until = Instant::now() + PATIENCE;
        let session = database.new_session(until).await.expect("a connection");
        let connections = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND {is_so}"
        );
        while Instant::now() < until {
            let found = session.query_once(&connections, &[]).await;
            if !found.expect("it tells").is_empty() {
                return;
            }
        }
        panic!("of no connection {is_so}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn while_one_host_holds_removals_another_removes_nothing() {
        let database = Postgres::shared_database();
        let (held_at, _, holder) = host(&database).await;
        let (_, blobs, remover) = host(&database).await;
        let id = Uuid::now_v7();
        let sealed = ::bytes::Bytes::from_static(b"sealed");
        blobs.write(id, Box::new(sealed)).await.expect("written");

        let held = holder.hold_removals().await.expect("held");
        let removal = remover.remove(&blobs, id);
        tokio::select! {
            removed = removal => panic!("{removed:?} while removals are held"),
            () = until_somebody_waits(&held_at) => {}
        }
        held.check().await.expect("it still holds");
        assert!(blobs.read(id).await.expect("read").is_some());
        drop(held);

        assert!(remover.remove(&blobs, id).await.expect("removed"));
        assert!(blobs.read(id).await.expect("read").is_none());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_removal_that_begins_while_somebody_waits_to_hold_removals_comes_after() {
        let database = Postgres::shared_database();
        let (seen_at, _, holder) = host(&database).await;
        let (.., remover) = host(&database).await;
        let under_way = remover.begin().await.expect("begun");
        let holding = async {
            let held = holder.hold_removals().await.expect("held");
            held.check().await.expect("it still holds");
        };
        let mut holding = std::pin::pin!(holding);
        tokio::select! {
            () = &mut holding => panic!("held while somebody removes"),
            () = until_somebody_waits(&seen_at) => {}
        }

        let next = async {
            let next = remover.begin().await.expect("begun");
            commit(next).await.expect("a commit");
        };
        let mut next = std::pin::pin!(next);
        tokio::select! {
            () = &mut next => panic!("it passed somebody who waits"),
            () = &mut holding => panic!("held while somebody removes"),
            () = tokio::time::sleep(5 * LOOK_EVERY) => {}
        }

        commit(under_way).await.expect("a commit");
        tokio::join!(holding, next);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_removal_that_takes_long_keeps_its_lock() {
        let database = Postgres::shared_database();
        let (seen_at, blobs, remover) = host(&database).await;
        let id = Uuid::now_v7();
        let sealed = ::bytes::Bytes::from_static(b"sealed");
        blobs.write(id, Box::new(sealed)).await.expect("written");
        let until = Instant::now() + PATIENCE;
        let other = seen_at.new_session(until).await.expect("a connection");
        other.run("BEGIN").await.expect("begun");
        let locked = other.query_once("SELECT FROM parafa_blobs FOR UPDATE", &[]);
        locked.await.expect("locked");

        let mut removal = std::pin::pin!(remover.remove(&blobs, id));
        let is_kept = "state = 'idle in transaction' AND query = 'SELECT 1'";
        tokio::select! {
            removed = &mut removal => panic!("{removed:?}, and it is locked"),
            () = until_somebody(&seen_at, is_kept) => {}
        }
        other.run("ROLLBACK").await.expect("given up");

        assert!(removal.await.expect("removed"));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_hold_whose_connection_was_cut_is_told() {
        let database = Postgres::shared_database();
        let (_, _, holder) = host(&database).await;
        let held = holder.hold_removals().await.expect("held");
        let (other, ..) = host(&database).await;
        let until = Instant::now() + PATIENCE;
        let session = other.new_session(until).await.expect("a connection");

        let cut = session
            .query_once(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE datname = current_database() AND state <> 'idle' \
                 AND pid <> pg_backend_pid()",
                &[],
            )
            .await;

        assert!(!cut.expect("cut").is_empty());
        assert!(held.check().await.is_err());
    }
}
