use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::SigningId;

/// The result of erasing a signing.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedSigning {
    /// The signing.
    signing_id: SigningId,
    /// Always true.
    deleted: bool,
    /// True if this call erased it; false if it was erased before.
    changed: bool,
}

impl ErasedSigning {
    /// `changed` is whether it was erased now, and not before.
    #[must_use]
    pub fn new(signing_id: SigningId, changed: bool) -> Self {
        Self {
            signing_id,
            deleted: true,
            changed,
        }
    }
}

/// The result of erasing several signings.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasureCount {
    /// Number of signings erased by this call.
    pub purged: u64,
    /// Number of signings to be tried again.
    pub failed: u64,
}
