//! What the plugin says of documents, and a word that is too long.

pub(crate) const MEDIA_TYPE: &str = "application/x-toy";
/// A type of which no document is that tells the truth.
pub(crate) const SECOND_TYPE: &str = "application/x-second-toy";
/// What documents are said to be when that is a lie.
pub(crate) const OTHER_TYPE: &str = "text/x-other";
/// More than a host stores in one place.
pub(crate) const LONG: usize = 70 * 1024;
/// Callers know no level of toys.
pub(crate) const LEVEL: &str = "XAdES-LT";
/// The level that they do not know.
pub(crate) const OWN_LEVEL: &str = "Toy-B-LT";

/// A word that does not seem to end.
pub(crate) fn long() -> String {
    "x".repeat(LONG)
}
