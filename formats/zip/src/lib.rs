//! ZIP archives (PKWARE APPNOTE.TXT 6.3) as document containers use them.
//!
//! [`Archive`] reads strictly: every byte belongs to one entry, to the central
//! directory or to the end record, and local headers say what the directory
//! says. [`Writer`] makes new archives, adds members behind the last one so
//! that everything before the central directory stays as it is, and replaces
//! members. Documents stay where they are: only headers are read,
//! and data are inflated and digested by the host.

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
