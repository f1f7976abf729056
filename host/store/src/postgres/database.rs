//! A database, and the connections to it.

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

/// For how long a call waits for a database that is away before it gives up.
pub const PATIENCE: Duration = Duration::from_secs(8);
/// For how long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);
/// For how long sent bytes may stay without acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
/// After this silence a connection is probed, and how often.
const KEEPALIVE: Duration = Duration::from_secs(5);
/// Between two tries to connect: the first pause, from which on they double, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How a URL begins. The client also reads lists of names and values, of which the rest knows
/// nothing.
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Which database, and how to reach it.
#[derive(Clone)]
pub struct DatabaseOptions {
    /// `postgresql://user:password@host:5432,other:5432/name`. All hosts of a database are tried at
    /// once, for one that takes writes.
    pub url: String,
    /// Connections that are shared by reads.
    pub connections: NonZeroU16,
    /// Whom a server's certificate has to come from.
    pub tls: rustls::ClientConfig,
}

impl DatabaseOptions {
    /// Connections that are shared by reads when nothing else is asked for.
    pub const DEFAULT_CONNECTIONS: NonZeroU16 = NonZeroU16::new(4).expect("it is not zero");

    /// Refuses a URL that cannot be read.
    ///
    /// # Errors
    /// [`DatabaseError::Url`].
    pub fn check(&self) -> Result<(), DatabaseError> {
        self.parsed().map(drop)
    }

    /// Whether whoever is on the way to one of the hosts may read the password and all rows, as the
    /// URL says: it has `sslmode=disable` or `sslmode=prefer`.
    ///
    /// # Errors
    /// [`DatabaseError::Url`].
    pub fn is_open(&self) -> Result<bool, DatabaseError> {
        Ok(self.parsed()?.iter().any(encryption::is_open))
    }

    /// How to connect to each of the hosts.
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

/// The connections to a database. Clones share them.
#[derive(Clone)]
pub struct Database(Arc<Shared>);

struct Shared {
    reach: Reach,
    slots: Vec<tokio::sync::Mutex<Option<Arc<Session>>>>,
    next: AtomicUsize,
    /// What failed last, until something succeeds.
    failure: Mutex<Option<Arc<str>>>,
}

impl Database {
    /// Connects, checks that the database is one to be relied upon, and makes or renews its
    /// tables. Hosts that do so at the same time wait for each other.
    ///
    /// # Errors
    /// A refusal of the database as it is; that there is none at this URL.
    pub async fn open(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let database = Self::at(options)?;
        let mut line = database.checked().await?;
        for weakness in answered(weaknesses(&line.client)).await? {
            tracing::warn!("{weakness}");
        }
        migrations::run(&mut line.client).await?;
        Ok(database)
    }

    /// A connection to a database that can be relied upon.
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
        })))
    }

    /// `Ok` while the database answers; since it does not, why not.
    pub(super) fn health(&self) -> Result<(), EngineError> {
        match &*self.0.failure() {
            None => Ok(()),
            Some(reason) => Err(EngineError::Unavailable {
                reason: reason.clone(),
            }),
        }
    }

    /// Notes that it answers.
    pub(super) fn works(&self) {
        self.0.note(None);
    }

    /// Reads. Tries again on another connection where one breaks, for as long as there is
    /// patience.
    pub(super) async fn query(
        &self,
        statement: Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let (rows, _) = self.query_since(statement, parameters).await?;
        Ok(rows)
    }

    /// The same, and when the try was begun that was answered: neither tries that failed nor the
    /// wait for a connection are in that time.
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

    /// One of the connections that reads share. Where somebody connects, another one is taken for
    /// as long as there is one.
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

    /// A connection of one's own. Tries until then.
    pub(super) async fn new_session(&self, until: Instant) -> Result<Session, DatabaseError> {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let opening = Session::open(&self.0.reach);
            match within(until, opening).await.flatten() {
                Ok(session) => {
                    self.works();
                    return Ok(session);
                }
                Err(error) => {
                    self.0.note(Some(&error));
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

/// Waits until then and no longer: who waits behind others for a database that says nothing does
/// not begin anew when it is their turn.
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

    /// Notes whether the database could be reached, and logs where that changes.
    fn note(&self, error: Option<&DatabaseError>) {
        let mut failure = self.failure();
        match (&*failure, error) {
            (None, Some(error)) => tracing::warn!(%error, "the database cannot be reached"),
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
