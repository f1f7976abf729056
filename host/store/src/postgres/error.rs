//! Why a database cannot be used.

use tokio_postgres::error::SqlState;

use crate::engine::EngineError;

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The URL cannot be read.
    #[error(
        "store.url is not a URL of a PostgreSQL database, such as postgresql://parafa:PASSWORD@db1:5432,db2:5432/parafa"
    )]
    Url,
    /// The database was made by a later program.
    #[error(
        "the database has schema {found}, made by a later version of this program, which knows {known}: run that version"
    )]
    TooNew {
        /// The schema that it has.
        found: i32,
        /// The latest that is known.
        known: i32,
    },
    /// The database keeps texts in another encoding than UTF-8.
    #[error("the database has the encoding {encoding}: make one with ENCODING 'UTF8'")]
    Encoding {
        /// Its encoding.
        encoding: String,
    },
    /// Commits do not wait until they are on a disk, or on that of a standby.
    #[error(
        "the database has {setting} {value}, and forgets acknowledged commits when it fails: set it to on, for this database or for the role"
    )]
    NotDurable {
        /// The parameter.
        setting: &'static str,
        /// What it is set to.
        value: String,
    },
    /// A pooler gives the connections to others between two transactions.
    #[error(
        "a pooler before the database gives its connections away after each transaction: have it pool by session (of pgbouncer: pool_mode = session), or name the database itself"
    )]
    Pooled,
    /// What is stored is not what this engine writes.
    #[error("the stored data is damaged: {what}")]
    Damaged {
        /// What was found.
        what: &'static str,
    },
    /// A commit was cut short in its wait for the standbys.
    #[error("commit {number} is not on the standbys that it should be on")]
    Unreplicated {
        /// Its number.
        number: i64,
    },
    /// A write or removal of a key or document was cut short in its wait for the standbys.
    #[error("a write or removal has not reached the standbys that must have it")]
    Unconfirmed,
    /// Nobody can say whether a commit happened.
    #[error("the outcome of commit {number} is unknown")]
    Unknown {
        /// Its number.
        number: i64,
    },
    /// The mark of a connection is gone.
    #[error("the mark of a connection has been removed")]
    Unmarked,
    /// The database has not ended what it was asked and nobody waits for any more, such as commits
    /// that wait for a standby.
    #[error(
        "the database is still at what it was asked on {connections} connections that were given up: does a standby not answer?"
    )]
    LeftBehind {
        /// How many there are.
        connections: usize,
    },
    /// No answer came.
    #[error("no answer within {seconds} seconds")]
    Silent {
        /// For how long it was waited, in seconds.
        seconds: u64,
    },
    /// The database or the way to it.
    #[error("{}", told(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

/// What an error says, without the values that a statement had.
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
    /// Whether the connection is of no use any more: it is cut, or leads to a database that takes
    /// no writes now.
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

    /// Whether another transaction was in the way, so that the same may succeed now.
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

    /// Whether the same may succeed if it is tried again at once, on a new connection or this one.
    pub(super) fn may_pass(&self) -> bool {
        self.is_of_connection() || self.is_of_another()
    }

    /// Whether it says that nothing can be done with this database as it is, now or later.
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
