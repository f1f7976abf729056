//! The contract 0.2, for plugins of the previous release. Its names are strings, which become the
//! host's values here only.

pub(crate) mod bindings;
pub(crate) mod convert;
mod evidence;
