use jiff::Timestamp;
use parafa_store::{Sealed, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A remark in the caller's audit trail.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CommentRow {
    /// The signing.
    pub signing: Uuid,
    /// The id.
    pub id: Uuid,
    /// Who made it.
    pub author: CommentAuthor,
    /// When it was made.
    pub created_at: Timestamp,
    /// A [`CommentPrivate`].
    pub private: Sealed,
}

/// Who wrote a comment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentAuthor {
    /// The caller.
    Client,
    /// The service, or its operator.
    Service,
}

/// What a comment says, sealed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CommentPrivate {
    /// Under which name.
    pub author_label: Option<String>,
    /// What it says.
    pub body: String,
}

plain_table!(CommentRow: "comments" by (Uuid, Uuid), |row| (row.signing, row.id));

/// A comment with what it says.
#[derive(Clone, Debug)]
pub struct UnsealedComment {
    /// As it is stored.
    pub row: CommentRow,
    /// What is sealed in it.
    pub private: CommentPrivate,
}
