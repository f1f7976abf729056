//! Digests of the data that an interpretation covers.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// SHA-256, in lowercase hex, of `data` in canonical form (RFC 8785). Without any member
/// `retrievedAt` and without the `reference` of any `source`: these differ between retrievals of
/// the same data.
#[must_use]
pub fn data_sha256(data: &Value) -> String {
    let canonical = serde_json_canonicalizer::to_vec(&without_retrieval(data))
        .expect("the numbers of a JSON value are finite");
    hex::encode(Sha256::digest(canonical))
}

fn without_retrieval(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(members_without_retrieval(members)),
        Value::Array(elements) => elements.iter().map(without_retrieval).collect(),
        scalar => scalar.clone(),
    }
}

fn members_without_retrieval(members: &Map<String, Value>) -> Map<String, Value> {
    members
        .iter()
        .filter(|(name, _)| *name != "retrievedAt")
        .map(|(name, value)| {
            let mut value = without_retrieval(value);
            if name == "source"
                && let Some(source) = value.as_object_mut()
            {
                source.shift_remove("reference");
            }
            (name.clone(), value)
        })
        .collect()
}
