//! Errors of databases.

use tokio_postgres::error::SqlState;

use crate::engine::EngineError;

/// Reason why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The URL is malformed.
    #[error(
        "store.url is not a URL of a PostgreSQL database, such as postgresql://parafa:PASSWORD@db1:5432,db2:5432/parafa"
    )]
    Url,
    /// The database was created by a later version of the program.
    #[error(
        "the database has schema {found}, made by a later version of this program, which knows {known}: run that version"
    )]
    TooNew {
        /// The schema found.
        found: i32,
        /// The latest schema known here.
        known: i32,
    },
    /// The database's encoding is not UTF-8.
    #[error("the database has the encoding {encoding}: make one with ENCODING 'UTF8'")]
    Encoding {
        /// The encoding.
        encoding: String,
    },
    /// Commits do not wait for a disk, or for that of a standby.
    #[error(
        "the database has {setting} {value}, and forgets acknowledged commits when it fails: set it to on, for this database or for the role"
    )]
    NotDurable {
        /// The parameter.
        setting: &'static str,
        /// The value.
        value: String,
    },
    /// A pooler reassigns the connections between two transactions.
    #[error(
        "a pooler before the database reassigns its connections after each transaction: let it pool by session (pgbouncer: pool_mode = session), or name the database itself"
    )]
    Pooled,
    /// Stored data are not in this engine's format.
    #[error("the stored data is damaged: {what}")]
    Damaged {
        /// The damage.
        what: &'static str,
    },
    /// A commit's wait for the standbys was interrupted.
    #[error("commit {number} is not on the standbys that it should be on")]
    Unreplicated {
        /// The commit's number.
        number: i64,
    },
    /// The wait for the standbys of a key's or document's write or removal was interrupted.
    #[error("a write or removal has not reached the standbys that must have it")]
    Unconfirmed,
    /// The outcome of a commit is unknown.
    #[error("the outcome of commit {number} is unknown")]
    Unknown {
        /// The commit's number.
        number: i64,
    },
    /// The mark of a connection is gone.
    #[error("the mark of a connection has been removed")]
    Unmarked,
    /// The database still executes abandoned requests, such as commits that wait for a standby.
    #[error(
        "the database is still executing requests of {connections} abandoned connections: check that its standbys answer"
    )]
    LeftBehind {
        /// Number of their connections.
        connections: usize,
    },
    /// There was no answer.
    #[error("no answer within {seconds} seconds")]
    Silent {
        /// Duration of the wait, in seconds.
        seconds: u64,
    },
    /// The database or the connection failed.
    #[error("{}", told(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

/// Returns the message of an error, without the values of the statement.
fn told(error: &tokio_postgres::Error) -> String {
    if let Some(refusal) = error.as_db_error() {
        return format!("{} (SQLSTATE {})", refusal.message(), refusal.code().code());
    }
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}

impl DatabaseError {
    /// Returns whether the connection is unusable: broken, or to a database that accepts no writes
    /// now.
    pub(super) fn is_of_connection(&self) -> bool {
        match self {
            Self::Silent { .. } | Self::Unmarked | Self::Unreplicated { .. } => true,
            Self::Postgres(error) => match error.code() {
                None => true,
                Some(code) => {
                    code.code().starts_with("08")
                        || [
                            SqlState::ADMIN_SHUTDOWN,
                            SqlState::CRASH_SHUTDOWN,
                            SqlState::CANNOT_CONNECT_NOW,
                            SqlState::READ_ONLY_SQL_TRANSACTION,
                            SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN,
                            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                        ]
                        .contains(code)
                }
            },
            _ => false,
        }
    }

    /// Returns whether another transaction conflicted, so that a retry may succeed.
    pub(super) fn is_of_another(&self) -> bool {
        let Self::Postgres(error) = self else {
            return false;
        };
        let others = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::UNIQUE_VIOLATION,
            SqlState::LOCK_NOT_AVAILABLE,
        ];
        error.code().is_some_and(|code| others.contains(code))
    }

    /// Returns whether an immediate retry may succeed, on a new connection or this one.
    pub(super) fn may_pass(&self) -> bool {
        self.is_of_connection() || self.is_of_another()
    }

    /// Returns whether the database is unusable as it is, now and later.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Url
            | Self::TooNew { .. }
            | Self::Encoding { .. }
            | Self::NotDurable { .. }
            | Self::Pooled
            | Self::Damaged { .. } => true,
            Self::Unreplicated { .. }
            | Self::Unconfirmed
            | Self::Unknown { .. }
            | Self::Unmarked
            | Self::LeftBehind { .. }
            | Self::Silent { .. }
            | Self::Postgres(_) => false,
        }
    }
}

impl From<DatabaseError> for EngineError {
    fn from(error: DatabaseError) -> Self {
        error.log_refusal();
        match error {
            DatabaseError::Damaged { what } => Self::Damaged { what },
            error => Self::Unavailable {
                reason: error.to_string().into(),
            },
        }
    }
}
