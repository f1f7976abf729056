//! Changes to a document as patches of its source, for whoever writes them
//! out: nothing that a patch does not touch is ever written from a parsed
//! form.

mod edits;
mod syntax;

pub(crate) use edits::{Edit, Edits};
pub(crate) use syntax::{number, reference, with_entries, without_entry};
