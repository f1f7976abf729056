//! What a PDF holds to verify its signatures when nobody can be asked any more
//! (ETSI EN 319 142-1, 6.3; ISO 32000-2, 12.8.4.3).
//!
//! `verify` names the level by what the document holds; `archive` adds what is
//! missing. Both look through the same positions of signatures.

mod positions;
mod security_store;

pub(crate) use positions::{
    add_signatures, document_timestamps, level_name, lowest_level, positions,
};
pub(crate) use security_store::{SecurityStore, Stored};
