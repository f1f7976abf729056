//! What an operator can do where a database cannot be used.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use super::error::DatabaseError;

/// What keeps a host from using a database.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Obstacle {
    /// The database as it is, or how it is named: the error says what to do.
    Refused,
    /// The user or the password.
    Login,
    /// The server has no database of this name, or does not let the user have it.
    UnknownDatabase,
    /// The server speaks no TLS, and the connection has to be encrypted.
    NoTls,
    /// The server's certificate: who it comes from, whom it is for, or its time.
    Certificate,
    /// Whoever answers is a standby, which takes no writes.
    StandbysAlone,
    /// Nobody answers, or not in time.
    NoAnswer,
    /// Something else that the database says.
    Other,
}

impl Obstacle {
    /// Whether waiting may help.
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
}

impl DatabaseError {
    /// What it is to an operator.
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
                // It starts, or ends.
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

    /// Logs what a database that can be reached says of a statement, such as that its disk is full.
    /// Nobody else does: to callers it is one that is away.
    pub(super) fn log_refusal(&self) {
        let Self::Postgres(error) = self else {
            return;
        };
        let is_of_limits = error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS);
        if !self.may_pass() && !is_of_limits && self.obstacle() == Obstacle::Other {
            tracing::error!(error = %self, "the database does not do what it is asked");
        }
    }
}

/// Whether the client gives this as the cause: that the server asks for a password and the URL has
/// none, or that the server has no TLS.
fn says(error: &tokio_postgres::Error, cause: &str) -> bool {
    error.source().is_some_and(|said| said.to_string() == cause)
}

/// Whether the client left the server because of its certificate.
fn refuses_certificate(error: &tokio_postgres::Error) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>())
        .and_then(io::Error::get_ref)
        .and_then(|cause| cause.downcast_ref::<rustls::Error>());
    matches!(cause, Some(rustls::Error::InvalidCertificate(_)))
}

/// Whether the client left each server that it reached because it takes no writes.
fn takes_no_writes(error: &tokio_postgres::Error) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| {
        cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none()
    })
}
