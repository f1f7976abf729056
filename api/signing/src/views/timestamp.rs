//! Times as RFC 3339 in UTC with milliseconds.

use jiff::Timestamp;
use serde::Serializer;

pub(super) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

/// The same, with null for none.
pub(super) mod nullable {
    use super::{Serializer, Timestamp};

    #[expect(clippy::ref_option, reason = "the signature that serde calls")]
    pub(in crate::views) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }
}
