//! The contract 1.0, as the host's values have it.

pub(crate) mod bindings;
pub(crate) mod convert;
mod evidence;
