//! Answers of sources.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use parafa_http_port::{HttpPortError, remedy};
use parafa_register_data::{
    PartSource, Query, Register, RegisterData, Source, SourceMode, UnreadableAnswer,
};
use sha2::{Digest as _, Sha256};
use url::Url;

/// Source of the current time.
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

/// A register's answer, and its source.
#[derive(Clone, Debug)]
pub struct RegisterAnswer<D = RegisterData> {
    /// The normalized data, or their absence.
    pub data: D,
    /// The answer as it came.
    pub raw: Bytes,
    /// Media type of `raw`.
    pub media_type: &'static str,
    /// SHA-256 of `raw`.
    pub raw_sha256: [u8; 32],
    /// The register.
    pub register: Register,
    /// Mode of the source.
    pub mode: SourceMode,
    /// The source's reference of the answer.
    pub reference: String,
    /// Time of retrieval.
    pub retrieved_at: Timestamp,
    /// Answers of other registers from which the data are joined, each to a request of its own.
    pub parts: Vec<RawAnswer>,
}

/// An answer as it came.
pub type RawAnswer = RegisterAnswer<()>;

/// An answer of a register that holds nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Absence {
    /// The query.
    pub query: Query,
    /// True if the register says that it does not know the entity or thing at all.
    pub subject_is_unknown: bool,
}

/// Reason for the lack of data.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The register answered, and holds nothing.
    #[error("the register holds nothing")]
    NoData(Box<RegisterAnswer<Absence>>),
    /// No configured source has such answers: asking again does not help.
    #[error("no source is set up for {kind} of {}", register.code())]
    NotOffered {
        /// The register.
        register: Register,
        /// Kind of the query.
        kind: &'static str,
    },
    /// The register did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Reason why a register did not answer. `Display` is for operators; it names no person, and
/// no entity either.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// The circuit breaker is open after too many failures.
    #[error("{} failed too often and is not asked for a while", .0.code())]
    Resting(Register),
    /// No answer. The port's error is the source.
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
    /// The answer is an error, or a status that the protocol does not allow.
    #[error("the register's source answered with status {0}")]
    Status(u16),
    /// The answer is of another media type.
    #[error("the answer of the register's source is not JSON by its media type")]
    MediaType,
    /// The answer cannot be read.
    #[error("the answer of the register's source cannot be read")]
    Unreadable(#[from] UnreadableAnswer),
    /// The answer lacks a required member.
    #[error("the answer of the register's source has no readable {0}")]
    Member(&'static str),
    /// The synthetic set says so.
    #[error("the synthetic register is out of order")]
    Synthetic,
}

impl Unavailable {
    /// The HTTP status with which the source refused, if it did.
    fn status(&self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(*status),
            _ => None,
        }
    }

    /// Warns the operator that the source at `address` gave no register's answer.
    pub(crate) fn tell(&self, register: Register, address: &Url) {
        let (status, error): (_, &(dyn Error + 'static)) = (self.status(), self);
        tracing::warn!(
            provider = register.code(),
            host = address.host_str(),
            status,
            remedy = remedy(status, error),
            error,
            "a register does not answer"
        );
    }

    /// Returns true if the source failed to answer, as when it is down or overloaded: the same
    /// request may succeed, now or later.
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
/// The media type of problem documents (RFC 9457).
pub(crate) const PROBLEM: &str = "application/problem+json";

impl<D> RegisterAnswer<D> {
    /// Returns the data, and the same answer with `data` instead.
    pub fn replace<T>(self, data: T) -> (D, RegisterAnswer<T>) {
        let answer = RegisterAnswer {
            data,
            raw: self.raw,
            media_type: self.media_type,
            raw_sha256: self.raw_sha256,
            register: self.register,
            mode: self.mode,
            reference: self.reference,
            retrieved_at: self.retrieved_at,
            parts: self.parts,
        };
        (self.data, answer)
    }

    /// The source of the answer.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source_as(self.register)
    }

    /// SHA-256 of it and of its parts.
    pub fn digests(&self) -> impl Iterator<Item = [u8; 32]> {
        let parts = self.parts.iter().map(|part| part.raw_sha256);
        std::iter::once(self.raw_sha256).chain(parts)
    }

    /// Returns the data; and the raw answer, followed by its parts.
    #[must_use]
    pub fn into_raw(self) -> (D, Vec<RawAnswer>) {
        let (data, mut whole) = self.replace(());
        let parts = std::mem::take(&mut whole.parts);
        (data, std::iter::once(whole).chain(parts).collect())
    }

    fn source_as(&self, register: Register) -> Source {
        Source::new(register, self.mode, self.reference.clone(), self.raw_sha256)
    }

    /// The source of the part that is `register`'s: its own answer, or this one,
    /// which brought it along.
    fn part_source(&self, register: Register) -> PartSource {
        let own = self.parts.iter().find(|part| part.register == register);
        PartSource {
            source: own.map_or_else(|| self.source_as(register), RawAnswer::source),
            retrieved_at: own.map_or(self.retrieved_at, |part| part.retrieved_at),
        }
    }
}

impl RawAnswer {
    /// An answer in JSON.
    pub(crate) fn json(
        register: Register,
        mode: SourceMode,
        raw: Bytes,
        reference: String,
        retrieved_at: Timestamp,
    ) -> Self {
        Self {
            data: (),
            raw_sha256: Sha256::digest(&raw).into(),
            raw,
            media_type: JSON,
            register,
            mode,
            reference,
            retrieved_at,
            parts: Vec::new(),
        }
    }

    /// The answer with these data. Parts from another register name their sources.
    ///
    /// # Errors
    /// [`SourceError::NoData`] if they hold nothing, however the source expresses that.
    pub(crate) fn with(
        self,
        query: &Query,
        mut data: RegisterData,
    ) -> Result<RegisterAnswer, SourceError> {
        if data.holds_nothing() {
            return Err(self.without_data(query, false));
        }
        if let RegisterData::CompanyProfile(profile) = &mut data {
            profile.attribute(|register| self.part_source(register));
        }
        Ok(self.replace(data).1)
    }

    /// Nothing, by this answer.
    pub(crate) fn without_data(self, query: &Query, subject_is_unknown: bool) -> SourceError {
        let absence = Absence {
            query: query.clone(),
            subject_is_unknown,
        };
        SourceError::NoData(Box::new(self.replace(absence).1))
    }
}

/// No configured source answers such queries.
pub(crate) fn not_offered(query: &Query) -> SourceError {
    SourceError::NotOffered {
        register: query.register(),
        kind: query.kind(),
    }
}

/// Reference of a query whose source gives none.
pub(crate) fn reference(query: &Query) -> String {
    let (register, kind) = (query.register().slug(), query.kind());
    let path = format!("{register}/{kind}/{}", query.subject());
    match query {
        Query::RoleHolders { role, .. } => format!("{path}?role={role}"),
        _ => path,
    }
}
