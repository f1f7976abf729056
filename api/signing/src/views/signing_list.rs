use serde::Serialize;

use super::Signing;
use crate::ids::SigningId;

/// One page of signings, newest first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SigningList {
    /// The page.
    pub data: Vec<Signing>,
    /// Whether older ones follow.
    pub has_more: bool,
    /// `startingAfter` of the next page; none on the last one.
    pub next_cursor: Option<SigningId>,
}
