//! Obstacles between a host and its database, as an operator sees them.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use super::error::DatabaseError;

/// Cause that keeps a host from using a database.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Obstacle {
    /// The database itself or its URL; the error says what to do.
    Refused,
    /// The user or the password.
    Login,
    /// The server has no database of this name, or denies the user access.
    UnknownDatabase,
    /// The server does not support TLS, and the connection must be encrypted.
    NoTls,
    /// The server's certificate: its issuer, its name or its validity.
    Certificate,
    /// Only standbys answer, which accept no writes.
    StandbysAlone,
    /// There is no answer, or not in time.
    NoAnswer,
    /// Another error of the database.
    Other,
}

impl Obstacle {
    /// Returns whether waiting may help.
    #[must_use]
    pub fn may_pass(self) -> bool {
        match self {
            Self::StandbysAlone | Self::NoAnswer | Self::Other => true,
            Self::Refused
            | Self::Login
            | Self::UnknownDatabase
            | Self::NoTls
            | Self::Certificate => false,
        }
    }

    /// Remedy for the operator of a host that runs.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Refused | Self::Other => "read the cause and the database's log",
            Self::Login => "check that the user and password in store.url still hold",
            Self::UnknownDatabase => {
                "check that the database in store.url is there, and that its user may connect"
            }
            Self::NoTls => "turn ssl on again at the database",
            Self::Certificate => {
                "renew the database's certificate, for the host in store.url and from a root of store.root_certificates or the system"
            }
            Self::StandbysAlone => {
                "find out why the database accepts no writes: promote a standby, or bring back the primary"
            }
            Self::NoAnswer => {
                "check that the database runs, and that this machine reaches the hosts in store.url"
            }
        }
    }
}

impl DatabaseError {
    /// Returns whether the database answers and stores nothing: its disk is full or fails, or it is
    /// read-only.
    pub(super) fn refuses_writes(&self) -> bool {
        let Self::Postgres(error) = self else {
            return false;
        };
        let of_writes = [
            SqlState::DISK_FULL,
            SqlState::IO_ERROR,
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ];
        match error.code() {
            Some(code) => of_writes.contains(code),
            None => takes_no_writes(error),
        }
    }

    /// Classifies the error for an operator.
    #[must_use]
    pub fn obstacle(&self) -> Obstacle {
        if self.is_refusal() {
            return Obstacle::Refused;
        }
        match self {
            Self::Silent { .. } | Self::LeftBehind { .. } => Obstacle::NoAnswer,
            Self::Postgres(error) => match error.code() {
                Some(code) if *code == SqlState::INVALID_CATALOG_NAME => Obstacle::UnknownDatabase,
                // Class 28, "invalid authorization specification".
                Some(code) if code.code().starts_with("28") => Obstacle::Login,
                // The server is starting or shutting down.
                Some(code) if code.code().starts_with("57P") => Obstacle::NoAnswer,
                Some(_) => Obstacle::Other,
                None if says(error, "password missing") => Obstacle::Login,
                None if says(error, "server does not support TLS") => Obstacle::NoTls,
                None if refuses_certificate(error) => Obstacle::Certificate,
                None if takes_no_writes(error) => Obstacle::StandbysAlone,
                None => Obstacle::NoAnswer,
            },
            _ => Obstacle::Other,
        }
    }

    /// Logs a statement's error from a reachable database, such as a full disk. Nothing else logs
    /// it: callers see an unavailable database.
    pub(super) fn log_refusal(&self) {
        let Self::Postgres(error) = self else {
            return;
        };
        let is_of_limits = error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS);
        if !self.may_pass() && !is_of_limits && self.obstacle() == Obstacle::Other {
            tracing::error!(error = %self, "the database refuses a statement");
        }
    }
}

/// Returns whether this is the client's cause: the server asks for a password that the URL lacks,
/// or the server has no TLS.
fn says(error: &tokio_postgres::Error, cause: &str) -> bool {
    error.source().is_some_and(|said| said.to_string() == cause)
}

/// Returns whether the client disconnected because of the server's certificate.
fn refuses_certificate(error: &tokio_postgres::Error) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>())
        .and_then(io::Error::get_ref)
        .and_then(|cause| cause.downcast_ref::<rustls::Error>());
    matches!(cause, Some(rustls::Error::InvalidCertificate(_)))
}

/// Returns whether every server that the client reached accepts no writes.
fn takes_no_writes(error: &tokio_postgres::Error) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| {
        cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none()
    })
}
