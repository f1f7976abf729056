use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::SignedDocument;
use crate::ids::{SignerId, SigningId};
use crate::vocabulary::{CompletionMode, SignerStatus, SigningEventKind, SigningStatus};

/// The body of an event that is posted to a signing's webhook.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SigningEvent {
    /// The event.
    pub event: SigningEventKind,
    /// The signing.
    pub signing_id: SigningId,
    /// The status of the signing at that time.
    pub status: SigningStatus,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// Time of the event.
    #[serde(serialize_with = "timestamp::serialize")]
    pub occurred_at: Timestamp,
    /// Only with `signing.completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_mode: Option<CompletionMode>,
    /// Only with `signing.signer_signed` and `signing.signer_declined`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<EventSigner>,
    /// The newest signed output, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<SignedDocument>,
}

/// Signer of an event, without anything that the ceremony captured.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventSigner {
    /// The signer.
    pub signer_id: SignerId,
    /// The email address, as the caller gave it.
    #[schemars(extend("format" = "email"))]
    pub email: String,
    /// The status of the signer at that time.
    pub status: SignerStatus,
    /// In the signer's own words, if any were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decline_reason: Option<String>,
}
