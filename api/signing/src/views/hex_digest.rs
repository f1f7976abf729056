//! Digests as lower-case hexadecimal digits.

use serde::Serializer;

pub(super) fn serialize<S: Serializer>(
    digest: &[u8; 32],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(digest))
}
