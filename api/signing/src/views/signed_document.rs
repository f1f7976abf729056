use serde::Serialize;

/// The newest signed output of a signing.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedDocument {
    sha256: String,
    bytes: u64,
    mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
}

impl SignedDocument {
    /// Of a real signing. `bytes` is the size.
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
