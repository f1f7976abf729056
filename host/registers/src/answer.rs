//! What a source answers.

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
pub struct RegisterAnswer<D = RegisterData> {
    /// What it comes to: the normalized data, or that there are none.
    pub data: D,
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
    /// Answers of other registers that the data are joined from, each to a
    /// request of its own.
    pub parts: Vec<RawAnswer>,
}

/// An answer as it came.
pub type RawAnswer = RegisterAnswer<()>;

/// That a register answered and holds nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Absence {
    /// What it was asked.
    pub query: Query,
    /// Whether it says that it does not know the entity or thing at all.
    pub subject_is_unknown: bool,
}

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The register answered, and holds nothing.
    #[error("the register holds nothing")]
    NoData(Box<RegisterAnswer<Absence>>),
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
    /// The HTTP status with which the source refused, if it did.
    fn status(&self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(*status),
            _ => None,
        }
    }

    /// Tells the operator that the source at `address` gave no answer of a
    /// register.
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
/// The media type of problem documents (RFC 9457).
pub(crate) const PROBLEM: &str = "application/problem+json";

impl<D> RegisterAnswer<D> {
    /// What it comes to, and the same answer coming to `data`.
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

    /// Where it came from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source_as(self.register)
    }

    /// SHA-256 of it and of its parts.
    pub fn digests(&self) -> impl Iterator<Item = [u8; 32]> {
        let parts = self.parts.iter().map(|part| part.raw_sha256);
        std::iter::once(self.raw_sha256).chain(parts)
    }

    /// What it comes to; and it and its parts, as they came.
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

    /// What it comes to where these are its data. The parts that are another
    /// register's name their sources.
    ///
    /// # Errors
    /// [`SourceError::NoData`] where they hold nothing, however a source words
    /// that.
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
