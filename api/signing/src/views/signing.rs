use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{SignedDocument, Signer};
use crate::ids::SigningId;
use crate::vocabulary::{CompletionMode, Delivery, SigningOrder, SigningStatus};

/// A signing as its caller sees it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signing {
    /// Its id.
    pub signing_id: SigningId,
    /// Its status.
    pub status: SigningStatus,
    /// The title that signers see; empty once erased.
    pub title: String,
    /// Delivery of the links to the signers.
    pub delivery: Delivery,
    /// The order in which signers sign.
    pub signing_order: SigningOrder,
    /// The soft deadline. Nothing expires then.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub soft_deadline_at: Option<Timestamp>,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// Time of creation.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// The hard deadline.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub expires_at: Option<Timestamp>,
    /// Time of the last signature.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub completed_at: Option<Timestamp>,
    /// The way in which it was completed.
    pub completion_mode: Option<CompletionMode>,
    /// Time of erasure.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub erased_at: Option<Timestamp>,
    /// Time of automatic erasure. Only in the answer of the call that reads one signing: once it
    /// has ended, in a workspace with a retention period, unless it is on hold.
    #[serde(
        serialize_with = "timestamp::nullable::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub erases_at: Option<Timestamp>,
    /// A sentence about the status, where it needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The parties in the order posted.
    pub signers: Vec<Signer>,
    /// The newest signed output; none until somebody signs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<SignedDocument>,
}
