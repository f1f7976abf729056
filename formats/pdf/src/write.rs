//! Changes to a document as patches of its source. Untouched content is never
//! rewritten from a parsed form.

mod edits;
mod numbering;
mod rewrite;
mod syntax;
mod update;

pub(crate) use edits::Edits;
pub(crate) use rewrite::rewrite;
pub(crate) use syntax::{
    encoded, escaped, file_identifier, hex_string, number, reference, with_entries, with_item,
};
pub(crate) use update::{Update, append};
