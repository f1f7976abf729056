//! Building blocks of views: each is one struct that derives its serialization and its schema.

pub mod hex_digest;
mod page;
pub mod timestamp;

pub use self::hex_digest::HexDigest;
pub use self::page::Page;
pub use self::timestamp::date_time;
