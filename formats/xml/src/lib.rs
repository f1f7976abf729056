//! XML 1.0 with namespaces for signatures: parsing under limits, without
//! document types and therefore without entities, canonicalization, writing and
//! editing.

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
