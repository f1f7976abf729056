//! Transactional records, byte files, data keys, leases and jobs.
//!
//! The crate has two layers. An [`Engine`] keeps versioned bytes under ordered keys and applies
//! a [`Commit`] if, and only if, the versions that it expects are still current. Everything
//! else is built once on that trait. [`Store::transact`] runs a closure over a recorded read
//! set and retries it on conflict. [`Table`] gives rows types and secondary indexes. [`jobs`],
//! [`lease`] and [`audit`] are ordinary rows.
//!
//! Beside the records there are two folders, [`ByteFiles`] and [`DataKeys`]. Erasing a data key
//! makes everything sealed under it unreadable, even where an engine retains old bytes.
//!
//! Concrete tables belong to the crates that use this one.

pub mod audit;
pub mod backup;
mod blobs;
pub mod bytes;
pub mod clock;
mod content;
mod earmarks;
pub mod engine;
mod error;
pub mod faulty;
mod files;
pub mod folder;
mod folder_sync;
mod hex_bytes;
mod ids;
pub mod jobs;
mod key;
pub mod keys;
pub mod lease;
mod mark;
pub mod memory;
mod mode;
mod owned_folder;
pub mod postgres;
mod quarantine;
mod schema;
pub mod shared;
pub mod sled;
mod store;
mod stored_row;
mod sums;
mod sweep;
mod table;
mod tables;
mod torn;
mod transaction;

pub use crate::bytes::{BYTE_FILE_READS, ByteFiles, StoredFile};
pub use crate::clock::{Clock, ManualClock, OffsetClock, SystemClock};
pub use crate::content::{Content, Named};
pub use crate::earmarks::{Earmark, EarmarkAmounts};
pub use crate::engine::{
    Commit, CommitOutcome, Committed, Direction, Engine, EngineError, EntriesCopy, Entry, Feed,
    Scan, Snapshot, SnapshotSource, Version, Versioned,
};
pub use crate::error::StoreError;
pub use crate::faulty::FaultyEngine;
pub use crate::files::SYNCS;
pub use crate::folder::{Folder, FolderError, FolderLook, FolderOptions};
pub use crate::hex_bytes::Sha256Digest;
pub use crate::key::{Key, PrefixOf};
pub use crate::keys::{BlindIndex, DataKey, DataKeys, KeyError, MasterKey, Sealed};
pub use crate::memory::MemoryEngine;
pub use crate::mode::StoreMode;
pub use crate::schema::{KeyRotation, SCHEMA_VERSION};
pub use crate::sled::{AcceptedLoss, Loss, RecordsLook, SledEngine};
pub use crate::store::{BoxFuture, RetryPolicy, Store, TransactionCounts};
pub use crate::stored_row::StoredRow;
pub use crate::sums::{Addend, QuotaAmounts, QuotaKey};
pub use crate::table::{AnyIndex, Index, MAX_PAGE_ROWS, Page, Paged, Table, TableName};
pub use crate::tables::{NamedContent, Needs, TableDeclaration, Tables, UnreadRows};
pub use crate::transaction::{Guard, Transaction};
