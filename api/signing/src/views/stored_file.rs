use jiff::Timestamp;
use parafa_api_http::views::{HexDigest, hex_digest, timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::FileToken;

/// A document that was stored for reuse.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredFile {
    /// The token by which later requests refer to it.
    pub file_token: FileToken,
    /// The name, as the caller gave it.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// SHA-256 of the bytes, in lower-case hexadecimal digits.
    #[schemars(with = "HexDigest")]
    #[serde(serialize_with = "hex_digest::serialize")]
    pub sha256: [u8; 32],
    /// Size, in bytes.
    pub bytes: u64,
    /// Time at which it was stored.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// Time at which it is deleted.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
    /// Number of signings that copied the bytes.
    pub used_count: u64,
}
