//! Changes to a document as patches of its source, for whoever writes them
//! out: nothing that a patch does not touch is ever written from a parsed
//! form.

mod edits;
mod rewrite;
mod syntax;

pub(crate) use edits::Edits;
pub(crate) use rewrite::rewrite;
pub(crate) use syntax::{escaped, number, with_entries, without_entry};
