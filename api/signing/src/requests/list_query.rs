use parafa_api_http::decode::Object;
use parafa_api_http::{Cursor, FromQuery};

use crate::ids::SigningId;
use crate::vocabulary::SigningStatus;

/// The query of `GET /v1/signings`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ListQuery {
    /// Only signings with this status.
    pub status: Option<SigningStatus>,
    /// Longest page, 1 to 100.
    pub limit: u16,
    /// Signing after which the page begins.
    pub starting_after: Option<SigningId>,
}

impl ListQuery {
    /// The pointer of the cursor, for the fault of an unknown one.
    pub const STARTING_AFTER_POINTER: &str = Cursor::STARTING_AFTER_POINTER;
}

impl FromQuery for ListQuery {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let status = query.optional("status", |node| {
            node.described("Only signings with this status.").one_of()
        });
        let cursor = Cursor::decode(query)?;
        Some(Self {
            status,
            limit: cursor.limit,
            starting_after: cursor.starting_after.map(SigningId),
        })
    }
}
