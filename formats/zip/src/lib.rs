//! ZIP archives (PKWARE APPNOTE.TXT 6.3) in document containers.
//!
//! [`Archive`] reads strictly: every byte belongs to one entry, to the central
//! directory or to the end record, and local headers match the directory.
//! [`Writer`] creates archives, appends members without changing anything
//! before the central directory, and replaces members. Data stays in place:
//! only headers are read, and the host inflates and digests data.

mod archive;
mod end_record;
mod entry;
mod error;
mod fields;
mod limits;
mod member;
mod mimetype;
mod name;
mod time;
mod writer;

pub use archive::Archive;
pub use entry::Entry;
pub use error::Error;
pub use limits::Limits;
pub use mimetype::MIMETYPE;
pub use name::is_usable;
pub use writer::{Content, Writer};
