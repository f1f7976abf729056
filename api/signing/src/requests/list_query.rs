use super::limits::{DEFAULT_PAGE, PAGE};
use crate::decode::{Faults, Query};
use crate::ids::{SigningId, parse_uuid};
use crate::vocabulary::{SigningStatus, WireName};

/// The query of `GET /v1/signings`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ListQuery {
    /// Only those that stand there.
    pub status: Option<SigningStatus>,
    /// Longest page, 1 to 100.
    pub limit: u16,
    /// The signing after which the page begins.
    pub starting_after: Option<SigningId>,
}

impl ListQuery {
    /// The pointer of the cursor, for the fault of an unknown one.
    pub const STARTING_AFTER_POINTER: &str = "/startingAfter";

    pub(crate) fn decode(query: &Query, faults: &Faults) -> Self {
        let status = query.optional(faults, "status", "one of the states of a signing", |text| {
            SigningStatus::ALL
                .iter()
                .find(|(name, _)| *name == text)
                .map(|(_, status)| *status)
        });
        let limit = query.optional(faults, "limit", "an integer from 1 to 100", integer);
        let starting_after = query
            .optional(faults, "startingAfter", "a UUID", parse_uuid)
            .map(SigningId);
        query.refuse_others(faults, &["status", "limit", "startingAfter"]);
        Self {
            status,
            limit: limit.unwrap_or(DEFAULT_PAGE),
            starting_after,
        }
    }
}

fn integer(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .filter(|value| PAGE.contains(value))
}
