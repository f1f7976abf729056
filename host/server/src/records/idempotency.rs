use jiff::Timestamp;
use parafa_store::{AnyIndex, Index, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A request that carried an `Idempotency-Key`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct IdempotencyRow {
    /// Keyed digest of API key, method, path and idempotency key.
    pub(crate) scope: String,
    /// Keyed digest of the body.
    pub(crate) body: String,
    /// Tells this claim from others on the same key.
    pub(crate) claim: Uuid,
    pub(crate) state: IdempotencyState,
}

/// What became of the request.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub(crate) enum IdempotencyState {
    /// It is being carried out.
    Running {
        /// When it is taken to have died.
        until: Timestamp,
    },
    /// It was answered.
    Answered {
        until: Timestamp,
        /// A key of the answer's own, so that erasing any of the subjects
        /// erases the answer.
        data_key: Uuid,
        answer: SealedAnswer,
        /// Signings, or the file, that the answer tells of.
        subjects: Vec<Uuid>,
    },
}

/// Where a kept answer is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SealedAnswer {
    /// In the row.
    Inline(Sealed),
    /// In a byte file: answers may be larger than a row.
    File(Uuid),
}

/// The kept answers that tell of a signing or a file.
pub(crate) const ANSWERS_ABOUT: Index<IdempotencyRow, Uuid> =
    Index::many("about", |row| match &row.state {
        IdempotencyState::Running { .. } => Vec::new(),
        IdempotencyState::Answered { subjects, .. } => subjects.clone(),
    });

impl Table for IdempotencyRow {
    type Key = String;

    const NAME: TableName = TableName::new("idempotency");

    fn key(&self) -> String {
        self.scope.clone()
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&ANSWERS_ABOUT]
    }
}
