//! The contract 1.0, in the host's values.

pub(crate) mod bindings;
pub(crate) mod convert;
mod evidence;
