use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::ids::SigningId;

/// What became of a signing that was to be erased.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ErasedSigning {
    /// The signing.
    pub signing_id: SigningId,
    /// Whether it was erased now, and not before.
    pub changed: bool,
}

impl Serialize for ErasedSigning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("ErasedSigning", 3)?;
        members.serialize_field("signingId", &self.signing_id)?;
        members.serialize_field("deleted", &true)?;
        members.serialize_field("changed", &self.changed)?;
        members.end()
    }
}

/// What became of the signings that were to be erased together.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasureCount {
    /// Erased now.
    pub purged: u64,
    /// To be tried again.
    pub failed: u64,
}
