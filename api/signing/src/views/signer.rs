use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::SignerId;
use crate::vocabulary::{Language, PartyRole, SignerStatus, SigningMethod};

/// A party of a signing as its caller sees it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signer {
    /// Its id.
    pub signer_id: SignerId,
    /// Signs, or is recorded only.
    pub role: PartyRole,
    /// Null once erased.
    #[schemars(extend("format" = "email"))]
    pub email: Option<String>,
    /// The name, as the caller gave it.
    pub name: Option<String>,
    /// The language of mails and of the ceremony page.
    pub language: Language,
    /// The status of this party.
    pub status: SignerStatus,
    /// The ceremony; only while this signer can still sign. It answers 404
    /// until it is the signer's turn.
    #[schemars(url)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceremony_url: Option<String>,
    /// Time at which the signature was stored.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub signed_at: Option<Timestamp>,
    /// Time of the refusal.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub declined_at: Option<Timestamp>,
    /// In the signer's own words, if any were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decline_reason: Option<String>,
    /// Empty for a viewer.
    #[schemars(extend("uniqueItems" = true))]
    pub methods_allowed: Vec<SigningMethod>,
    /// Set by a real signature.
    pub actual_method: Option<SigningMethod>,
    /// True if the signer must have the given personal code.
    pub identity_locked: bool,
    /// True once a locked signer has completed the real ceremony.
    pub identity_matched: Option<bool>,
    /// Time of the sandbox simulation that completed this signer.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub simulated_at: Option<Timestamp>,
}
