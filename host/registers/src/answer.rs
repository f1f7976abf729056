//! What a source answers.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use parafa_http_port::HttpPortError;
use parafa_register_data::{Query, Register, RegisterData, SourceMode, UnreadableAnswer};
use sha2::{Digest as _, Sha256};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A way to registers.
#[async_trait]
pub trait RegisterSource: Send + Sync {
    /// Asks a register.
    ///
    /// # Errors
    /// [`SourceError`].
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError>;
}

/// What a register answered, and where it came from.
#[derive(Clone, Debug)]
pub struct RegisterAnswer {
    /// The answer in its normalized form.
    pub data: RegisterData,
    /// The answer as it came.
    pub raw: Bytes,
    /// What `raw` is.
    pub media_type: &'static str,
    /// SHA-256 of `raw`.
    pub raw_sha256: [u8; 32],
    /// The register.
    pub register: Register,
    /// How it was reached.
    pub mode: SourceMode,
    /// What the source knows the answer by.
    pub reference: String,
    /// When it was had.
    pub retrieved_at: Timestamp,
}

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The register answered, and holds nothing.
    #[error("the register holds nothing")]
    NoData {
        /// SHA-256 of the answer as it came, where there was one.
        raw_sha256: Option<[u8; 32]>,
    },
    /// No source that is set up here has such answers: asking again does not
    /// help.
    #[error("no source is set up for {kind} of {}", register.code())]
    NotOffered {
        /// The register.
        register: Register,
        /// What was asked.
        kind: &'static str,
    },
    /// The register did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Why a register did not answer. `Display` is for operators; it names no
/// person, and no entity either.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// It failed too often just now, and is left alone for a while.
    #[error("{} failed too often and is left alone for a while", .0.code())]
    Resting(Register),
    /// There is no answer. The port's own words are the source.
    #[error("the register's source gave no answer")]
    NoAnswer(#[source] HttpPortError),
    /// The answer is longer than one may be.
    #[error("the answer of the register's source is longer than {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The configured address cannot be requested.
    #[error("the address of the register's source is unusable")]
    Address(#[source] http::Error),
    /// It answered that it cannot, or as the protocol does not allow.
    #[error("the register's source answered with status {0}")]
    Status(u16),
    /// The answer is of another media type.
    #[error("the answer of the register's source is not JSON by its media type")]
    MediaType,
    /// The answer cannot be read.
    #[error("the answer of the register's source cannot be read")]
    Unreadable(#[from] UnreadableAnswer),
    /// The answer does not have what it must have.
    #[error("the answer of the register's source has no readable {0}")]
    Member(&'static str),
    /// The synthetic set says so.
    #[error("the synthetic register is out of order")]
    Synthetic,
}

impl Unavailable {
    /// Whether the source did not get to an answer, as one does that is down or
    /// overloaded: the same request may go better, now or later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer(HttpPortError::Transport(_) | HttpPortError::TimedOut(_)) => true,
            Self::Status(status) => matches!(status, 429 | 502 | 503 | 504),
            _ => false,
        }
    }
}

pub(crate) const JSON: &str = "application/json";

/// An answer whose raw form is JSON.
///
/// # Errors
/// [`SourceError::NoData`] where it is one that holds nothing, however a source
/// words that.
pub(crate) fn answered(
    query: &Query,
    mode: SourceMode,
    data: RegisterData,
    raw: Bytes,
    reference: String,
    retrieved_at: Timestamp,
) -> Result<RegisterAnswer, SourceError> {
    let raw_sha256 = Sha256::digest(&raw).into();
    if data.holds_nothing() {
        return Err(nothing_held(raw_sha256));
    }
    Ok(RegisterAnswer {
        data,
        raw_sha256,
        raw,
        media_type: JSON,
        register: query.register(),
        mode,
        reference,
        retrieved_at,
    })
}

/// Nothing, by an answer of this digest.
pub(crate) fn nothing_held(raw_sha256: [u8; 32]) -> SourceError {
    SourceError::NoData {
        raw_sha256: Some(raw_sha256),
    }
}

/// Nobody here answers such queries.
pub(crate) fn not_offered(query: &Query) -> SourceError {
    SourceError::NotOffered {
        register: query.register(),
        kind: query.kind(),
    }
}

/// Names a query where its source does not.
pub(crate) fn reference(query: &Query) -> String {
    let (register, kind) = (query.register().slug(), query.kind());
    let path = format!("{register}/{kind}/{}", query.subject());
    match query {
        Query::RoleHolders { role, .. } => format!("{path}?role={role}"),
        _ => path,
    }
}
