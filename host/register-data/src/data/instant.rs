//! Instants, for `#[serde(serialize_with)]`: a `date-time` of RFC 3339, 5.6, in
//! UTC, with `Z` and milliseconds.

use jiff::Timestamp;
use serde::Serializer;

pub(crate) fn serialize<S: Serializer>(
    instant: &Timestamp,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{instant:.3}"))
}

/// The same for an optional value, with null for `None`.
pub(super) mod nullable {
    use super::{Serializer, Timestamp};

    pub(in super::super) fn serialize<S: Serializer>(
        instant: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match instant {
            Some(instant) => super::serialize(instant, serializer),
            None => serializer.serialize_none(),
        }
    }
}
