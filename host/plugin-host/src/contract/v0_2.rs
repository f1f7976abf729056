//! The contract 0.2: what plugins of the release before are spoken to with. Its
//! names are strings, and become the host's values here and nowhere else.

pub(crate) mod bindings;
pub(crate) mod convert;
mod evidence;
