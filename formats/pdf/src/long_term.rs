//! Long-term validation material of a PDF, for verification when no service can
//! be asked any more (ETSI EN 319 142-1, 6.3; ISO 32000-2, 12.8.4.3).
//!
//! `verify` derives the level from the content of the document; `archive` adds
//! the missing material. Both evaluate the same signature positions.

mod positions;
mod security_store;

pub(crate) use positions::{
    add_signatures, document_timestamps, level_name, lowest_level, positions,
};
pub(crate) use security_store::{SecurityStore, Stored};
