use jiff::Timestamp;
use parafa_store::{Content, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A remark in the caller's audit trail.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CommentRow {
    pub(crate) signing: Uuid,
    pub(crate) id: Uuid,
    pub(crate) author: CommentAuthor,
    pub(crate) created_at: Timestamp,
    /// A [`CommentPrivate`].
    pub(crate) private: Sealed,
}

/// Who wrote a comment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommentAuthor {
    /// The caller.
    Client,
    /// The operator of the service.
    Service,
}

/// What a comment says, sealed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CommentPrivate {
    pub(crate) author_label: Option<String>,
    pub(crate) body: String,
}

impl Table for CommentRow {
    type Key = (Uuid, Uuid);

    const NAME: TableName = TableName::new("comments");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> (Uuid, Uuid) {
        (self.signing, self.id)
    }
}
