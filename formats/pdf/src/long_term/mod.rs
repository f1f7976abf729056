//! What it takes to verify signatures when nobody can be asked any more: the
//! certificates of every chain, and for each of them what its issuer told about
//! it afterwards (ETSI EN 319 142-1, 6.3; ISO 32000-2, 12.8.4.3).
//!
//! `verify` names the level by what the document holds; `archive` adds what is
//! missing. Both look through the same [`Standing`].

mod budget;
mod chain;
mod document_timestamp;
mod material;
mod security_store;
mod standing;
mod timestamps;

pub(crate) use chain::{Chain, Contents, Gap, Lack, Rules};
pub(crate) use document_timestamp::due_chains;
pub(crate) use material::{Datum, Material, NOWHERE};
pub(crate) use security_store::{SecurityStore, Stored};
pub(crate) use standing::{Level, Obstacle, Standing, lowest_level, standings};
pub(crate) use timestamps::maker_status;
