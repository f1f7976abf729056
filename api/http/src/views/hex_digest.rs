//! SHA-256 digests as lower-case hexadecimal digits, for
//! `#[serde(serialize_with)]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serializer;

/// The schema of a digest, for `#[schemars(with)]`.
pub struct HexDigest;

impl JsonSchema for HexDigest {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "HexDigest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
    }
}

/// Writes the digits of a digest.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(digest: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(digest))
}
