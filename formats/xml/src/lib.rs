//! XML 1.0 with namespaces, as signatures need it: read into a tree under
//! limits, without document types and so without entities, canonicalized, written
//! and edited.

mod canonical;
mod document;
mod edit;
mod error;
mod limits;
mod scan;
mod writer;

pub use canonical::Canonicalization;
pub use document::{Document, Element};
pub use edit::{Insertion, inserted};
pub use error::Error;
pub use limits::Limits;
pub use writer::XmlWriter;
