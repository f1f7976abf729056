//! What it takes to verify signatures when nobody can be asked any more,
//! whatever their format: the certificates of every chain, and for each of them
//! what its issuer told about it afterwards (ETSI EN 319 102-1; level LT of
//! ETSI EN 319 122-1, 132-1, 142-1 and TS 119 182-1).
//!
//! A format tells of its signatures by [`Signature`] and puts what its document
//! holds into a [`ValidationMaterial`]. [`SignaturePosition`] then says the
//! level of a signature by what is there; with [`Rules::Complete`] it says what
//! is missing, of which a [`Plan`] makes needs.

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
