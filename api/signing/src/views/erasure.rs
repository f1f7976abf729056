use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::SigningId;

/// What became of a signing that was to be erased.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedSigning {
    /// The signing.
    signing_id: SigningId,
    /// Always true.
    deleted: bool,
    /// Whether it was erased now, and not before.
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

/// What became of the signings that were to be erased together.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasureCount {
    /// Erased now.
    pub purged: u64,
    /// To be tried again.
    pub failed: u64,
}
