//! Long-term validation of signatures in any format, when no service can be
//! asked any more. It needs the certificates of every chain, and later
//! revocation data for each (ETSI EN 319 102-1; level LT of ETSI EN 319 122-1,
//! 132-1, 142-1 and TS 119 182-1).
//!
//! A format implements [`Signature`] and puts the content of its document into
//! a [`ValidationMaterial`]. [`SignaturePosition`] determines the level of a
//! signature from it. With [`Rules::Complete`] it also lists the gaps, which a
//! [`Plan`] turns into needs.

mod answers;
mod archive_timestamp;
mod budget;
mod chain;
mod plan;
mod questions;
mod request;
mod signature;
mod signature_position;
mod timestamps;
mod validation_material;
mod values;

pub use answers::Answers;
pub use archive_timestamp::{ArchiveTimestamp, due_chains};
pub use budget::{Budget, ChainLimits, too_much_to_verify};
pub use chain::{Contents, Rules};
pub use plan::{Plan, refuse, require_raisable};
pub use request::Archiving;
pub use signature::Signature;
pub use signature_position::SignaturePosition;
pub use timestamps::{maker_status, maker_status_without_imprint};
pub use validation_material::{NOWHERE, RevocationEntry, ValidationMaterial};
pub use values::Values;
