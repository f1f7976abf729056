use schemars::JsonSchema;
use serde::Serialize;

use super::SignedDocument;
use crate::ids::SigningId;
use crate::vocabulary::ArchiveLevel;

/// A signing whose signed output is at a long-term level.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedSigning {
    /// The signing.
    pub signing_id: SigningId,
    /// The level.
    pub level: ArchiveLevel,
    /// True if this call raised it; false if it was at that level before.
    pub upgraded: bool,
    /// The output at that level.
    pub document: SignedDocument,
}
