//! The contract and the host's values of it: requests and answers of plugins, the documents that
//! they see, and the ways to break the contract.

pub(crate) mod admission;
pub(crate) mod bounds;
pub(crate) mod capability;
pub(crate) mod convert;
pub(crate) mod crypto;
pub(crate) mod digest;
pub(crate) mod document;
pub(crate) mod evidence;
pub(crate) mod evidence_pool;
pub(crate) mod fault;
pub(crate) mod known_answers;
pub(crate) mod packages;
pub(crate) mod payload;
pub(crate) mod requests;
pub(crate) mod resources;
pub(crate) mod surface;
pub(crate) mod text;
pub(crate) mod v0_2;
pub(crate) mod v1_0;
pub(crate) mod values;
