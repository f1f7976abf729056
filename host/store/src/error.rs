//! What can go wrong above the engine.

use uuid::Uuid;

use crate::engine::EngineError;
use crate::mode::StoreMode;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A transaction conflicted with others on every attempt.
    #[error("a transaction on {table} conflicted {attempts} times in a row")]
    Contention {
        /// The table of the last conflicting key.
        table: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// A closure that may only read has written.
    #[error("a read-only transaction wrote to {table}")]
    WriteInRead {
        /// The table of a written key.
        table: String,
    },
    /// A row to insert is already there.
    #[error("a row with this key is already in {table}")]
    Exists {
        /// The table.
        table: &'static str,
    },
    /// Another row has the same value in a unique index.
    #[error("another row of {table} has this value in {index}")]
    Duplicate {
        /// The table.
        table: &'static str,
        /// The index.
        index: &'static str,
    },
    /// A row cannot be written as JSON.
    #[error("a row of {table} cannot be encoded")]
    Encode {
        /// The table.
        table: &'static str,
        /// Why not.
        source: serde_json::Error,
    },
    /// A stored row is not of its table's type.
    #[error("a row of {table} cannot be decoded")]
    Decode {
        /// The table.
        table: &'static str,
        /// Why not.
        source: serde_json::Error,
    },
    /// There is a table of which this program does not know what its rows name.
    #[error(
        "the store holds a table {table} that this program does not know: a later one has written to it"
    )]
    UnknownTable {
        /// The table.
        table: String,
    },
    /// Random bytes are not to be had.
    #[error("the operating system's random source failed")]
    Random,
    /// The lease of a claimed job has passed to somebody else, or the job is gone.
    #[error("the lease on job {id} is lost")]
    JobLost {
        /// The job.
        id: Uuid,
    },
    /// A lease has ended or belongs to somebody else.
    #[error("the lease {name} is lost")]
    LeaseLost {
        /// The lease.
        name: String,
    },
    /// The data were written by a later version of this program.
    #[error("the store has schema version {found}; this program knows up to {known}")]
    SchemaTooNew {
        /// The version found.
        found: u32,
        /// The latest version known here.
        known: u32,
    },
    /// The folder belongs to the other kind of server.
    #[error("the store was made for {found} and is opened for {wanted}")]
    WrongMode {
        /// What the store was made for.
        found: StoreMode,
        /// What it is opened for.
        wanted: StoreMode,
    },
    /// The master key is not the one that the store was made with.
    #[error("the master key is not the one that this store was made with")]
    WrongMasterKey,
    /// Neither the master key nor another one that is configured is the store's.
    #[error(
        "none of the configured master keys is the one of this store: add its file to secrets.other_master_key_files"
    )]
    NoMasterKeyFits,
    /// A key that was replaced may wrap a data key still, and is not configured.
    #[error(
        "a master key that was replaced may still wrap data keys: name it in secrets.other_master_key_files until the log says that it may be removed"
    )]
    EarlierMasterKeyMissing,
    /// The secret that is wrapped by the master key does not open.
    #[error("the store's root secret cannot be opened by the master key: the records were changed")]
    RootUnreadable,
    /// A restore fills the store, or was cut short.
    #[error(
        "the store is being filled from a backup, or that was cut short: wait for the restore, or begin it again"
    )]
    Restoring,
    /// There are rows, but not the one that says what they are.
    #[error("the store holds data but no schema row")]
    SchemaMissing,
}
