use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Signing;
use crate::ids::BatchId;

/// Several signings for one set of parties.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Its id.
    pub batch_id: BatchId,
    /// The title, as the caller gave it; empty once a signing of the batch is erased.
    pub title: String,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// Time of creation.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// The signings, one for each document, in the order posted.
    pub signings: Vec<Signing>,
}
