//! XML 1.0 with namespaces, as signatures need it: read into a tree under
//! limits, without document types and so without entities, and canonicalized.

mod canonical;
mod document;
mod error;
mod limits;
mod scan;

pub use canonical::Canonicalization;
pub use document::{Document, Element};
pub use error::Error;
pub use limits::Limits;
