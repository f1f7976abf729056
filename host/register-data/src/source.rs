use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::instant;
use crate::{Operator, Register, SourceMode};

/// A source of data.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The register's abbreviation.
    pub register: &'static str,
    /// Its name in Lithuanian.
    pub register_name: &'static str,
    /// Operator of the register.
    pub operator: Operator,
    /// Origin of the data.
    pub mode: SourceMode,
    /// The reference of the answer at the register or its gateway.
    pub reference: String,
    /// SHA-256 of the register's answer as it came, in lower-case hexadecimal
    /// digits.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    pub raw_sha256: String,
}

/// The source of a part of an answer that comes from another register.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartSource {
    /// The register, and its answer.
    #[serde(flatten)]
    pub source: Source,
    /// Time of the query to the register.
    #[serde(serialize_with = "instant::serialize")]
    pub retrieved_at: Timestamp,
}

impl Source {
    /// The register's own particulars with those of one answer.
    #[must_use]
    pub fn new(
        register: Register,
        mode: SourceMode,
        reference: String,
        raw_sha256: [u8; 32],
    ) -> Self {
        Self {
            register: register.code(),
            register_name: register.name(),
            operator: register.operator(),
            mode,
            reference,
            raw_sha256: hex::encode(raw_sha256),
        }
    }
}
