use std::collections::BTreeMap;

use jiff::Timestamp;
use parafa_api_http::views::{HexDigest, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::ids::{SignerId, SigningId};
use crate::vocabulary::{PartyRole, SignerStatus, SigningMethod, SigningStatus};

/// The evidence of a signing: its parties, versions and audit trail.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SigningEvidence {
    /// The signing.
    pub signing_id: SigningId,
    /// Its status.
    pub status: SigningStatus,
    /// Time of creation.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// Time of the last signature.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub completed_at: Option<Timestamp>,
    /// The parties in the order posted.
    pub signers: Vec<EvidenceSigner>,
    /// The posted document, then each version that was made of it.
    pub documents: Vec<EvidenceDocument>,
    /// The audit trail of the signing.
    pub audit: AuditTrail,
}

/// A party of a signing.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceSigner {
    /// Its id.
    pub signer_id: SignerId,
    /// Signs, or is recorded only.
    pub role: PartyRole,
    /// The email address, as the caller gave it.
    #[schemars(extend("format" = "email"))]
    pub email: String,
    /// The name, as the caller gave it.
    pub name: Option<String>,
    /// The status of this party.
    pub status: SignerStatus,
    /// Set by a real signature.
    pub actual_method: Option<SigningMethod>,
    /// Time at which the signature was stored.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub signed_at: Option<Timestamp>,
}

/// One version of the document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceDocument {
    /// SHA-256 of the bytes, in lower-case hexadecimal digits.
    #[schemars(with = "HexDigest")]
    pub sha256: String,
    /// Size, in bytes.
    pub bytes: u64,
    /// The media type.
    pub mime_type: String,
    /// Time of creation.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// Origin of the version; null for the posted document.
    pub made_by: Option<VersionMaker>,
}

/// Origin of a version.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionMaker {
    /// The signer whose signature it adds; null if it adds long-term validation data only.
    pub signer_id: Option<SignerId>,
    /// SHA-256 of the signer's certificate; null without a new signature, or if it was made before
    /// the service recorded certificates.
    #[schemars(with = "Option<HexDigest>")]
    pub certificate_sha256: Option<String>,
    /// The time in the signature's time-stamp; null where the certificate is.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub time_stamped_at: Option<Timestamp>,
    /// The signature level, such as `PAdES-B-T`.
    pub level: String,
    /// The id of the plugin that made it.
    pub plugin: String,
    /// The plugin's own version.
    pub plugin_version: String,
    /// SHA-256 of the plugin's bytes.
    #[schemars(with = "HexDigest")]
    pub plugin_sha256: String,
}

/// A chain of events: the hash of each covers the one before.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditTrail {
    /// The id of the signing.
    pub chain: Uuid,
    /// All events, the oldest first.
    pub events: Vec<AuditEvent>,
    /// The last event of the chain.
    pub head: AuditHead,
    /// The seal over the head; null until the hour of the last event is sealed, some minutes after
    /// it ends.
    pub sealed: Option<AuditSeal>,
}

/// An event of an audit trail.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// Its place in the chain, from 1.
    pub sequence: u64,
    /// Time of the event.
    #[serde(serialize_with = "timestamp::serialize")]
    pub at: Timestamp,
    /// The same time in nanoseconds since 1970, for the hash.
    pub at_nanoseconds: String,
    /// The name of the event.
    pub name: String,
    /// Its details: ids, digests, states.
    pub fields: BTreeMap<String, String>,
    /// SHA-256 over the previous hash and all of the above.
    #[schemars(with = "HexDigest")]
    pub hash: String,
}

/// The last event of a chain.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditHead {
    /// Its place in the chain.
    pub sequence: u64,
    /// Its hash.
    #[schemars(with = "HexDigest")]
    pub hash: String,
}

/// A seal over the heads of all chains that changed in an hour, with the inclusion proof of this
/// one.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditSeal {
    /// The seal's number, from 1.
    pub number: u64,
    /// Start of the sealed hour.
    #[serde(serialize_with = "timestamp::serialize")]
    pub hour: Timestamp,
    /// Time of the seal.
    #[serde(serialize_with = "timestamp::serialize")]
    pub sealed_at: Timestamp,
    /// The number of chains under it.
    pub size: u64,
    /// The index of this chain among them, from 0.
    pub index: u64,
    /// The inclusion proof (RFC 6962): the sibling hashes from the leaf to the root.
    #[schemars(with = "Vec<HexDigest>")]
    pub path: Vec<String>,
    /// The Merkle root.
    #[schemars(with = "HexDigest")]
    pub root: String,
    /// The hash of the previous seal; zeros in the first one.
    #[schemars(with = "HexDigest")]
    pub previous: String,
    /// SHA-256 over the previous hash, number, hour, size and root.
    #[schemars(with = "HexDigest")]
    pub hash: String,
}
