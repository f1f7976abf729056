//! A database and its connections.

use std::fmt;
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::durability::weaknesses;
use super::error::DatabaseError;
use super::left_behind::LeftBehind;
use super::session::{Line, Reach, Session, answered};
use super::statements::Statement;
use super::{encryption, hosts, migrations, pooler};
use crate::engine::EngineError;

/// Time that a call waits for an unavailable database.
pub const PATIENCE: Duration = Duration::from_secs(8);
/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(5);
/// Time that sent bytes may remain unacknowledged.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
/// Silence after which a connection is probed, and the interval of probes.
const KEEPALIVE: Duration = Duration::from_secs(5);
/// Time that a refused write counts if none is tried after it. Twice as long as an alert waits, and
/// not for long after the repair: a host that is not ready gets no requests, and may write nothing.
const REFUSES: Duration = Duration::from_mins(5);
/// Pauses between attempts to connect: the first, which doubles, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Prefixes of a URL. The client also accepts lists of names and values, which the rest of this
/// code does not support.
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Options for connecting to a database.
#[derive(Clone)]
pub struct DatabaseOptions {
    /// URL, such as `postgresql://user:password@host:5432,other:5432/name`. All hosts of a database
    /// are tried at once, for one that accepts writes.
    pub url: String,
    /// Connections shared by reads.
    pub connections: NonZeroU16,
    /// TLS configuration, with the trusted issuers of a server's certificate.
    pub tls: rustls::ClientConfig,
}

impl DatabaseOptions {
    /// Default number of connections shared by reads.
    pub const DEFAULT_CONNECTIONS: NonZeroU16 = NonZeroU16::new(4).expect("it is not zero");

    /// Refuses a malformed URL.
    ///
    /// # Errors
    /// [`DatabaseError::Url`].
    pub fn check(&self) -> Result<(), DatabaseError> {
        self.parsed().map(drop)
    }

    /// Returns whether a network attacker could read the password and all rows, because the URL has
    /// `sslmode=disable` or `sslmode=prefer`.
    ///
    /// # Errors
    /// [`DatabaseError::Url`].
    pub fn is_open(&self) -> Result<bool, DatabaseError> {
        Ok(self.parsed()?.iter().any(encryption::is_open))
    }

    /// Returns the configuration for each of the hosts.
    fn parsed(&self) -> Result<Vec<Config>, DatabaseError> {
        if !SCHEMES.iter().any(|scheme| self.url.starts_with(scheme)) {
            return Err(DatabaseError::Url);
        }
        let url = encryption::understood(&self.url);
        let config: Config = url.parse().map_err(|_| DatabaseError::Url)?;
        let mut hosts = hosts::each(&config).ok_or(DatabaseError::Url)?;
        for config in &mut hosts {
            self.prepare(config);
        }
        Ok(hosts)
    }

    fn prepare(&self, config: &mut Config) {
        config
            .application_name("parafa")
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(CONNECT)
            .tcp_user_timeout(UNACKNOWLEDGED)
            .keepalives_idle(KEEPALIVE)
            .keepalives_interval(KEEPALIVE)
            .keepalives_retries(2);
        encryption::require(config, &self.url);
    }
}

/// Connections to a database, shared by clones.
#[derive(Clone)]
pub struct Database(Arc<Shared>);

struct Shared {
    reach: Reach,
    slots: Vec<tokio::sync::Mutex<Option<Arc<Session>>>>,
    next: AtomicUsize,
    /// Last failure, until something succeeds.
    failure: Mutex<Option<Arc<str>>>,
    /// Last refusal of a write, until one succeeds.
    refusal: Mutex<Option<Refusal>>,
}

/// Refusal of a write by a database that answers.
#[derive(Clone)]
struct Refusal {
    at: Instant,
    reason: Arc<str>,
    /// It is read-only, and no connection can be opened until it takes writes.
    is_read_only: bool,
}

impl Database {
    /// Connects, checks that the database is reliable, and creates or migrates its tables. Hosts
    /// that do so at the same time wait for each other.
    ///
    /// # Errors
    /// A refusal of the database as it is; no database at this URL.
    pub async fn open(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let database = Self::at(options)?;
        let mut line = database.checked().await?;
        for weakness in answered(weaknesses(&line.client)).await? {
            tracing::warn!("{weakness}");
        }
        migrations::run(&mut line.client).await?;
        Ok(database)
    }

    /// Opens a connection to a reliable database.
    pub(super) async fn checked(&self) -> Result<Line, DatabaseError> {
        let line = Line::open(&self.0.reach).await?;
        let other = Line::open(&self.0.reach).await?;
        if answered(pooler::is_between(&line.client, &other.client)).await? {
            let another = Line::open(&self.0.reach).await?;
            if answered(pooler::is_between(&line.client, &another.client)).await? {
                return Err(DatabaseError::Pooled);
            }
        }
        answered(migrations::check(&line.client)).await?;
        Ok(line)
    }

    pub(super) fn at(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let slots = (0..options.connections.get()).map(|_| tokio::sync::Mutex::default());
        Ok(Self(Arc::new(Shared {
            reach: Reach {
                hosts: options.parsed()?,
                tls: MakeRustlsConnect::new(options.tls.clone()),
                left_behind: LeftBehind::default(),
            },
            slots: slots.collect(),
            next: AtomicUsize::new(0),
            failure: Mutex::new(None),
            refusal: Mutex::new(None),
        })))
    }

    /// Returns `Ok` while the database answers and takes writes, else the reason.
    pub(super) fn health(&self) -> Result<(), EngineError> {
        let refusal = self.0.refusal().clone();
        let refusal = refusal.filter(|refusal| refusal.at.elapsed() < REFUSES);
        let failure = self.0.failure().clone();
        match failure.or(refusal.map(|refusal| refusal.reason)) {
            None => Ok(()),
            Some(reason) => Err(EngineError::Unavailable { reason }),
        }
    }

    /// Notes that it answers.
    pub(super) fn works(&self) {
        self.0.note(None);
    }

    /// Notes that a write succeeded, or why it did not. Reads may succeed where writes are refused.
    pub(super) fn note_write(&self, failure: Option<&DatabaseError>) {
        let refusal = match failure {
            None => None,
            Some(error) if error.refuses_writes() => Some(Refusal {
                at: Instant::now(),
                reason: error.to_string().into(),
                is_read_only: error.is_of_connection(),
            }),
            Some(_) => return,
        };
        *self.0.refusal() = refusal;
    }

    /// Queries, and retries on another connection where one breaks, until patience ends.
    pub(super) async fn query(
        &self,
        statement: Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let (rows, _) = self.query_since(statement, parameters).await?;
        Ok(rows)
    }

    /// Like [`query`](Self::query), and returns when the answered attempt began. That excludes
    /// failed attempts and the wait for a connection.
    pub(super) async fn query_since(
        &self,
        statement: Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<(Vec<Row>, Instant), DatabaseError> {
        let until = Instant::now() + PATIENCE;
        loop {
            let session = self.shared_session(until).await?;
            let begun = Instant::now();
            match session.query(statement, parameters).await {
                Err(error) if error.is_of_connection() && Instant::now() < until => {
                    tracing::debug!(%error, "a read is tried again");
                }
                rows => {
                    let rows = rows?;
                    self.works();
                    return Ok((rows, begun));
                }
            }
        }
    }

    /// Returns one of the connections shared by reads. While one is being opened, another is taken
    /// if there is one.
    async fn shared_session(&self, until: Instant) -> Result<Arc<Session>, DatabaseError> {
        let slots = &self.0.slots;
        let next = self.0.next.fetch_add(1, Ordering::Relaxed) % slots.len();
        let mut slot = match slots[next].try_lock() {
            Ok(slot) => slot,
            Err(_) => match slots.iter().find_map(|slot| works(&*slot.try_lock().ok()?)) {
                Some(session) => return Ok(session),
                None => within(until, slots[next].lock()).await?,
            },
        };
        if let Some(session) = works(&slot) {
            return Ok(session);
        }
        let session = Arc::new(self.new_session(until).await?);
        *slot = Some(session.clone());
        Ok(session)
    }

    /// Opens an exclusive connection. Retries until `until`.
    pub(super) async fn new_session(&self, until: Instant) -> Result<Session, DatabaseError> {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let opening = Session::open(&self.0.reach);
            match within(until, opening).await.flatten() {
                Ok(session) => {
                    self.works();
                    self.0.takes_writes();
                    return Ok(session);
                }
                Err(error) => {
                    self.0.note(Some(&error));
                    self.note_write(Some(&error));
                    if error.is_refusal()
                        || matches!(error, DatabaseError::LeftBehind { .. })
                        || Instant::now() + pause >= until
                    {
                        return Err(error);
                    }
                }
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

fn works(slot: &Option<Arc<Session>>) -> Option<Arc<Session>> {
    slot.as_ref()
        .filter(|session| !session.is_broken())
        .cloned()
}

/// Waits until `until` at most: a caller queued behind others for a silent database does not wait
/// anew when its turn comes.
pub(super) async fn within<T>(
    until: Instant,
    work: impl Future<Output = T>,
) -> Result<T, DatabaseError> {
    let silent = |_| DatabaseError::Silent {
        seconds: PATIENCE.as_secs(),
    };
    tokio::time::timeout_at(until, work).await.map_err(silent)
}

impl Shared {
    fn failure(&self) -> std::sync::MutexGuard<'_, Option<Arc<str>>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusal(&self) -> std::sync::MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the database is not read-only, by a new connection.
    fn takes_writes(&self) {
        let mut refusal = self.refusal();
        if refusal.as_ref().is_some_and(|refusal| refusal.is_read_only) {
            *refusal = None;
        }
    }

    /// Notes whether the database was reachable, and logs changes.
    fn note(&self, error: Option<&DatabaseError>) {
        let mut failure = self.failure();
        match (&*failure, error) {
            (None, Some(error)) => tracing::warn!(
                %error,
                remedy = error.obstacle().remedy(),
                "the database cannot be reached"
            ),
            (Some(_), None) => tracing::info!("the database can be reached again"),
            _ => {}
        }
        *failure = error.map(|error| error.to_string().into());
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests;
