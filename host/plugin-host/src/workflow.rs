//! Work on a document by calls of a plugin, each checked against the input, the request
//! and the answers.

pub(crate) mod archiving;
pub(crate) mod asking;
pub(crate) mod contents;
pub(crate) mod evidence;
pub(crate) mod known_documents;
pub(crate) mod making;
pub(crate) mod media_type;
pub(crate) mod signing;
