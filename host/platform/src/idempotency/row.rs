use jiff::Timestamp;
use parafa_store::{AnyIndex, Content, Index, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A request with an `Idempotency-Key`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct IdempotencyRow {
    /// Keyed digest of API key, method, path and idempotency key.
    pub scope: String,
    /// Keyed digest of the body.
    pub body: String,
    /// Id of this claim among others on the same key.
    pub claim: Uuid,
    /// State of the request.
    pub state: IdempotencyState,
}

/// State of a claimed request.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum IdempotencyState {
    /// The request is running.
    Running {
        /// Time after which it counts as dead.
        until: Timestamp,
    },
    /// The request was answered.
    Answered {
        /// Expiry of the answer.
        until: Timestamp,
        /// A separate key for the answer, so that erasing any of the subjects
        /// erases the answer.
        data_key: Uuid,
        /// The answer.
        answer: SealedAnswer,
        /// Signings or the file that the answer concerns.
        subjects: Vec<Uuid>,
    },
}

/// Place of a stored answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SealedAnswer {
    /// In the row.
    Inline(Sealed),
    /// In a byte file: answers may be larger than a row.
    File(Uuid),
}

/// Index of the stored answers about a signing or a file.
pub const ANSWERS_ABOUT: Index<IdempotencyRow, Uuid> =
    Index::many("about", |row| match &row.state {
        IdempotencyState::Running { .. } => Vec::new(),
        IdempotencyState::Answered { subjects, .. } => subjects.clone(),
    });

impl Table for IdempotencyRow {
    type Key = String;

    const NAME: TableName = TableName::new("idempotency");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> String {
        self.scope.clone()
    }

    fn named(&self) -> Named {
        let IdempotencyState::Answered {
            data_key, answer, ..
        } = &self.state
        else {
            return Named::default();
        };
        let mut named = Named::key(*data_key);
        if let SealedAnswer::File(file) = answer {
            named.files.insert(*file);
        }
        named
    }

    /// Needs nothing after its expiry: the content is deleted before the row.
    fn needed(&self, at: Timestamp) -> Named {
        match self.state {
            IdempotencyState::Answered { until, .. } if at < until => self.named(),
            _ => Named::default(),
        }
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&ANSWERS_ABOUT]
    }
}
