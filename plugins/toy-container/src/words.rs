//! What the plugin says of documents.

pub(crate) const MEDIA_TYPE: &str = "application/x-toy-container";
/// Whose documents those are that another plugin is for.
pub(crate) const OTHER_TYPE: &str = "application/x-toy";
/// A signature.
pub(crate) const LEVEL_B: &str = "Toy-B-B";
/// A signature with a time-stamp.
pub(crate) const LEVEL_T: &str = "Toy-B-T";
/// A signature with a time-stamp and revocation data.
pub(crate) const LEVEL_LT: &str = "Toy-B-LT";
/// The same with a time-stamp over the document behind it.
pub(crate) const LEVEL_LTA: &str = "Toy-B-LTA";
