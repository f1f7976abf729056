use jiff::Timestamp;
use parafa_store::{Sealed, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A comment in the caller's audit trail.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CommentRow {
    /// The signing.
    pub signing: Uuid,
    /// The id.
    pub id: Uuid,
    /// The author.
    pub author: CommentAuthor,
    /// Time of creation.
    pub created_at: Timestamp,
    /// A [`CommentPrivate`].
    pub private: Sealed,
}

/// Author of a comment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentAuthor {
    /// The caller.
    Client,
    /// The service, or its operator.
    Service,
}

/// Sealed content of a comment.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CommentPrivate {
    /// The author's name.
    pub author_label: Option<String>,
    /// The text.
    pub body: String,
}

plain_table!(CommentRow: "comments" by (Uuid, Uuid), |row| (row.signing, row.id));

/// A comment with its text.
#[derive(Clone, Debug)]
pub struct UnsealedComment {
    /// The stored row.
    pub row: CommentRow,
    /// Its sealed content.
    pub private: CommentPrivate,
}
