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
    /// How the links reach the signers.
    pub delivery: Delivery,
    /// The order in which signers sign.
    pub signing_order: SigningOrder,
    /// When it is wanted by. Nothing expires then.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub soft_deadline_at: Option<Timestamp>,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// When it was created.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// The hard deadline.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub expires_at: Option<Timestamp>,
    /// When the last signer signed.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub completed_at: Option<Timestamp>,
    /// How it was completed.
    pub completion_mode: Option<CompletionMode>,
    /// When it was erased.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub erased_at: Option<Timestamp>,
    /// When it is erased automatically. Only in the answer of the call that reads one
    /// signing: once it has ended, in a workspace with a retention period, unless it is
    /// held.
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
