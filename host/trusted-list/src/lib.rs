//! Compares trusted lists (ETSI TS 119 612) with the trust anchors, for a person to review.
//!
//! [`import`] verifies the lists: each by the signers that the list of the lists names, and that
//! list by pinned ones. It reads their services and compares them with a folder of anchors.
//! [`Imported::write`] writes the changed folder beside it. Nothing here changes the folder that
//! the server reads.
//!
//! This is the one part of the host that reads others' documents. They are a handful from
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
pub use import::{Import, Imported, ListView, import, read_list};
pub use listed::Window;
