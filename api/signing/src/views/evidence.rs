use std::collections::BTreeMap;

use jiff::Timestamp;
use parafa_api_http::views::{HexDigest, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::ids::{SignerId, SigningId};
use crate::vocabulary::{PartyRole, SignerStatus, SigningMethod, SigningStatus};

/// What the service knows of a signing for whoever has to prove it later.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SigningEvidence {
    /// The signing.
    pub signing_id: SigningId,
    /// Where it stands.
    pub status: SigningStatus,
    /// When it was created.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// When the last signer signed.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub completed_at: Option<Timestamp>,
    /// The parties in the order posted.
    pub signers: Vec<EvidenceSigner>,
    /// The document as it was posted, then each version that was made of it.
    pub documents: Vec<EvidenceDocument>,
    /// What happened to the signing.
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
    /// As the caller gave it.
    #[schemars(extend("format" = "email"))]
    pub email: String,
    /// As the caller gave it.
    pub name: Option<String>,
    /// Where this party stands.
    pub status: SignerStatus,
    /// Set by a real signature.
    pub actual_method: Option<SigningMethod>,
    /// When the signature was stored.
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
    /// What the bytes are.
    pub mime_type: String,
    /// When it was made.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// What made it; null for the document as it was posted.
    pub made_by: Option<VersionMaker>,
}

/// What made a version of the one before.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionMaker {
    /// Whose signature it adds; null where it adds none, but what the signatures before need for
    /// the long term.
    pub signer_id: Option<SignerId>,
    /// SHA-256 of the signer's certificate; null where no signature is added, or it was made
    /// before certificates were noted.
    #[schemars(with = "Option<HexDigest>")]
    pub certificate_sha256: Option<String>,
    /// The time in the signature's time-stamp, noted as the certificate is.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub time_stamped_at: Option<Timestamp>,
    /// The level that was reached, such as `PAdES-B-T`.
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
    /// The id of what the events are about.
    pub chain: Uuid,
    /// All events, the first one first.
    pub events: Vec<AuditEvent>,
    /// The end of the chain.
    pub head: AuditHead,
    /// What the end is sealed under; null until the hour of the last event is sealed, which is
    /// some minutes after it is over.
    pub sealed: Option<AuditSeal>,
}

/// Something that happened.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// Its place in the chain, from 1.
    pub sequence: u64,
    /// When.
    #[serde(serialize_with = "timestamp::serialize")]
    pub at: Timestamp,
    /// The same in nanoseconds since 1970, as it is hashed.
    pub at_nanoseconds: String,
    /// What happened.
    pub name: String,
    /// To whom and with what: ids, digests, states.
    pub fields: BTreeMap<String, String>,
    /// SHA-256 over the hash before and all of the above.
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

/// The root over the ends of all chains that changed in an hour, and the way to it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditSeal {
    /// The seal's place among all, from 1.
    pub number: u64,
    /// When the hour began.
    #[serde(serialize_with = "timestamp::serialize")]
    pub hour: Timestamp,
    /// When it was sealed.
    #[serde(serialize_with = "timestamp::serialize")]
    pub sealed_at: Timestamp,
    /// How many chains it is over.
    pub size: u64,
    /// Which of them this one is, from 0.
    pub index: u64,
    /// The hashes beside the way from the leaf to the root, the lowest first, as RFC 6962 has
    /// them.
    #[schemars(with = "Vec<HexDigest>")]
    pub path: Vec<String>,
    /// The root.
    #[schemars(with = "HexDigest")]
    pub root: String,
    /// The hash of the seal before; zeros in the first one.
    #[schemars(with = "HexDigest")]
    pub previous: String,
    /// SHA-256 over the hash before, number, hour, size and root.
    #[schemars(with = "HexDigest")]
    pub hash: String,
}
