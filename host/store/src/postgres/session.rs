//! A connection.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::select_ok;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::durability;
use super::error::DatabaseError;
use super::left_behind::{InUse, LeftBehind};
use super::statements::{PreparedStatements, Statement};

/// Time that a connection waits for an answer; after that it counts as broken.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// Parameters of connecting.
#[derive(Clone)]
pub(super) struct Reach {
    /// All hosts of the database.
    pub(super) hosts: Vec<Config>,
    pub(super) tls: MakeRustlsConnect,
    pub(super) left_behind: LeftBehind,
}

/// A connection. After a drop it ends when the database has answered the last request.
pub(super) struct Line {
    pub(super) client: Client,
    state: Arc<State>,
    tls: MakeRustlsConnect,
    _in_use: InUse,
}

/// A connection with its prepared statements.
pub(super) struct Session {
    line: Line,
    prepared: PreparedStatements,
}

#[derive(Default)]
struct State {
    is_broken: AtomicBool,
    /// A commit did not wait for the standbys as it should.
    is_unreplicated: AtomicBool,
}

impl Session {
    pub(super) async fn open(reach: &Reach) -> Result<Self, DatabaseError> {
        let line = Line::open(reach).await?;
        let prepared = answered(PreparedStatements::on(&line.client)).await?;
        // Notices while connecting, such as about collations, do not concern a commit.
        line.state.is_unreplicated.store(false, Ordering::Release);
        Ok(Self { line, prepared })
    }

    /// Returns whether it is unusable.
    pub(super) fn is_broken(&self) -> bool {
        self.line.client.is_closed() || self.line.state.is_broken.load(Ordering::Relaxed)
    }

    /// Marks it as broken.
    pub(super) fn give_up(&self) {
        self.line.state.is_broken.store(true, Ordering::Relaxed);
    }

    /// Returns whether a commit since the last call did not wait for the standbys.
    pub(super) fn take_unreplicated(&self) -> bool {
        let state = &self.line.state;
        state.is_unreplicated.swap(false, Ordering::AcqRel)
    }

    pub(super) async fn query(
        &self,
        statement: Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let statement = self.prepared.get(statement);
        self.noting(answered(self.line.client.query(statement, parameters)).await)
    }

    /// Executes a statement; returns the number of changed rows.
    pub(super) async fn execute(
        &self,
        statement: Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, DatabaseError> {
        let statement = self.prepared.get(statement);
        self.noting(answered(self.line.client.execute(statement, parameters)).await)
    }

    /// Runs a statement that is not prepared.
    pub(super) async fn query_once(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        self.noting(answered(self.line.client.query(sql, parameters)).await)
    }

    /// Like [`query_once`](Self::query_once), for a statement on whose changes nothing depends.
    /// If unanswered, it is cancelled, even while it waits for a standby. It leaves no connection
    /// behind; later statements on this one take effect only once the standbys follow.
    pub(super) async fn query_or_cancel(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let answer = self.query_once(sql, parameters).await;
        if let Err(DatabaseError::Silent { .. }) = &answer {
            self.line.cancel();
        }
        answer
    }

    /// Runs statements without parameters, such as `BEGIN`.
    pub(super) async fn run(&self, sql: &str) -> Result<(), DatabaseError> {
        self.noting(answered(self.line.client.batch_execute(sql)).await)
    }

    fn noting<T>(&self, answer: Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        if let Err(error) = &answer
            && error.is_of_connection()
        {
            self.give_up();
        }
        answer
    }
}

impl Line {
    /// Connects to the host that accepts writes, without preparing statements. All hosts are
    /// tried at once: one that hangs does not delay the others.
    pub(super) async fn open(reach: &Reach) -> Result<Self, DatabaseError> {
        reach.left_behind.check()?;
        let hosts = reach.hosts.iter();
        let tries = hosts.map(|host| Box::pin(host.connect(reach.tls.clone())));
        let ((client, mut connection), _) = answered(select_ok(tries)).await?;
        let state = Arc::<State>::default();
        let noted = state.clone();
        let in_use = reach.left_behind.spawn(async move {
            loop {
                match poll_fn(|context| connection.poll_message(context)).await {
                    Some(Ok(AsyncMessage::Notice(notice))) if is_of_replication(notice.code()) => {
                        tracing::warn!(
                            notice = notice.message(),
                            "a commit may not have been replicated"
                        );
                        noted.is_unreplicated.store(true, Ordering::Release);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break,
                }
            }
            noted.is_broken.store(true, Ordering::Relaxed);
        });
        durability::check(answered(durability::prepare(&client)).await?)?;
        Ok(Self {
            client,
            state,
            tls: reach.tls.clone(),
            _in_use: in_use,
        })
    }

    /// Asks the database to cancel this connection's statement, without waiting.
    fn cancel(&self) {
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        tokio::spawn(async move {
            if let Err(error) = answered(token.cancel_query(tls)).await {
                tracing::debug!(%error, "a statement is not cut short");
            }
        });
    }
}

/// Returns whether a notice may report an interrupted wait for a standby. A cancellation has the
/// code of any warning, a shutdown its own. The text is in the server's language.
fn is_of_replication(code: &SqlState) -> bool {
    [SqlState::WARNING, SqlState::ADMIN_SHUTDOWN].contains(code)
}

/// Waits for an answer for at most [`ANSWER`].
pub(super) async fn answered<T, E: Into<DatabaseError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, DatabaseError> {
    match tokio::time::timeout(ANSWER, work).await {
        Ok(answer) => answer.map_err(Into::into),
        Err(_) => Err(DatabaseError::Silent {
            seconds: ANSWER.as_secs(),
        }),
    }
}
