//! What it takes to verify signatures when nobody can be asked any more: the
//! certificates of every chain, and for each of them what its issuer told about
//! it afterwards (ETSI EN 319 142-1, 6.3; ISO 32000-2, 12.8.4.3).
//!
//! `verify` names the level by what the document holds; `archive` adds what is
//! missing. Both look through the same [`SignaturePosition`].

mod budget;
mod chain;
mod document_timestamp;
mod security_store;
mod signature_position;
mod timestamps;
mod validation_material;

pub(crate) use chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
pub(crate) use document_timestamp::due_chains;
pub(crate) use security_store::{SecurityStore, Stored};
pub(crate) use signature_position::{Level, Obstacle, SignaturePosition, lowest_level, standings};
pub(crate) use timestamps::maker_status;
pub(crate) use validation_material::{NOWHERE, RevocationDatum, ValidationMaterial};
