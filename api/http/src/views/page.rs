use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

/// One page of a list.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}List")]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The page.
    pub data: Vec<T>,
    /// True if there are more items.
    pub has_more: bool,
    /// `startingAfter` of the next page; null on the last one.
    pub next_cursor: Option<Uuid>,
}
