//! Times in the world's answers.

use jiff::Timestamp;
use serde::Serializer;

/// A `date-time` of RFC 3339, 5.6, in UTC with milliseconds, as the server
/// writes them.
pub(crate) fn date_time(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Serializes a member of an answer.
pub(crate) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date_time(*time))
}
