//! The interpretation library: the meaning of register data under Lithuanian law, item by item,
//! each with the provisions that state it.
//!
//! The rules are data, one file for each version below `rules/`, written and reviewed by lawyers
//! (`docs/interpretation.md`). [`Library::interpret`] applies them to the normalized `data` of an
//! answer. It is a pure function. The same version and the same data give the same
//! [`Interpretation`] to the byte, whatever the order of the data's members. Nothing is counted,
//! weighed or ranked.

mod condition;
mod digest;
mod endpoint;
mod engine;
mod error;
mod interpretation;
mod library;
mod load;
mod pointer;
mod rule;
#[cfg(test)]
mod tests;

pub use digest::data_sha256;
pub use endpoint::Endpoint;
pub use error::{ActFault, LibraryError, PointerError, RuleFault};
pub use interpretation::{Bilingual, Citation, Interpretation, InterpretationItem};
pub use library::Library;
