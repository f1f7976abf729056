use parafa_api_http::views::HexDigest;
use schemars::JsonSchema;
use serde::Serialize;

/// The newest signed output of a signing.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedDocument {
    /// SHA-256 of the bytes, in lower-case hexadecimal digits.
    #[schemars(with = "HexDigest")]
    sha256: String,
    /// Size, in bytes.
    bytes: u64,
    /// The media type.
    mime_type: String,
    /// Only on a sandbox simulation, and true there.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<bool>,
    /// Only on a sandbox simulation, and false there.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
}

impl SignedDocument {
    /// A real signing's document. `bytes` is the size.
    #[must_use]
    pub fn signed(sha256: &[u8; 32], bytes: u64, mime_type: impl Into<String>) -> Self {
        Self {
            sha256: hex::encode(sha256),
            bytes,
            mime_type: mime_type.into(),
            sandbox: None,
            signed: None,
        }
    }

    /// The unsigned artifact of a sandbox simulation, marked as such.
    #[must_use]
    pub fn simulated(sha256: &[u8; 32], bytes: u64, mime_type: impl Into<String>) -> Self {
        Self {
            sandbox: Some(true),
            signed: Some(false),
            ..Self::signed(sha256, bytes, mime_type)
        }
    }
}
