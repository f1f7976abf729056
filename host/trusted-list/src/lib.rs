//! Trusted lists (ETSI TS 119 612) and what they would change among the trust
//! anchors, for a person to look at.
//!
//! [`import`] verifies the lists, each by the signers that the list of the lists
//! names and that by pinned ones, reads their services and holds these against a
//! folder of anchors. [`Imported::write`] puts the folder as it would be beside it.
//! Nothing here changes the one that the server reads.
//!
//! It is the one part of the host that reads a document of others: of a handful of
//! authorities, handed over by an operator, in a process that does nothing else.

mod cryptography;
mod difference;
mod error;
mod folder;
mod import;
mod list;
mod listed;
mod manifest;
mod record;
mod service;

pub use difference::{Added, Changed, Difference, Unlisted};
pub use error::{ImportError, ListError};
pub use import::{Import, Imported, ListView, import};
pub use listed::Window;
