//! Cursors of paged lists.

use std::ops::RangeInclusive;

use uuid::Uuid;

use crate::decode::Object;

/// Records of one page.
const LIMITS: RangeInclusive<u16> = 1..=100;
/// Number of records of a page by default.
const USUAL_LIMIT: u16 = 50;

/// A cursor over a list, and how far it is moved.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Cursor {
    /// Longest page, 1 to 100.
    pub limit: u16,
    /// Record after which the page begins.
    pub starting_after: Option<Uuid>,
}

impl Cursor {
    /// The pointer of the record, for the fault of an unknown one.
    pub const STARTING_AFTER_POINTER: &str = "/startingAfter";

    /// Decodes a cursor from a query.
    pub fn decode(query: &mut Object<'_>) -> Option<Self> {
        let limit = query.or("limit", USUAL_LIMIT, |node| {
            node.described("Maximum number of items on a page.")
                .integer(LIMITS)
        });
        let starting_after = query.optional("startingAfter", |node| {
            node.described("The `nextCursor` of the previous page.")
                .uuid()
        });
        Some(Self {
            limit: limit?,
            starting_after,
        })
    }
}
