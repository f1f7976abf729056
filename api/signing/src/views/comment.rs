use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::{CommentId, SigningId};
use crate::vocabulary::CommentAuthor;

/// A remark in the caller's audit trail, which signers never see.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// Its id.
    pub comment_id: CommentId,
    /// The caller, or the service or its operator.
    pub author: CommentAuthor,
    /// The caller's own name for the writer.
    pub author_label: Option<String>,
    /// The remark.
    pub body: String,
    /// Time of the comment.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
}

/// All comments of a signing, oldest first.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentList {
    /// The signing.
    pub signing_id: SigningId,
    /// Empty once the signing is erased.
    pub comments: Vec<Comment>,
}
