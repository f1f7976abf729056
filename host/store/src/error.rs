//! Errors above the engine.

use uuid::Uuid;

use crate::engine::EngineError;
use crate::mode::StoreMode;

/// Failure of the store.
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
        /// Number of attempts.
        attempts: u32,
    },
    /// A read-only closure has written.
    #[error("a read-only transaction wrote to {table}")]
    WriteInRead {
        /// The table of a written key.
        table: String,
    },
    /// The row to insert already exists.
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
        /// The cause.
        source: serde_json::Error,
    },
    /// A stored row is not of its table's type.
    #[error("a row of {table} cannot be decoded")]
    Decode {
        /// The table.
        table: &'static str,
        /// The cause.
        source: serde_json::Error,
    },
    /// The store has a table with unknown content.
    #[error(
        "the store holds a table {table} that this program does not know: a later version has written to it"
    )]
    UnknownTable {
        /// The table.
        table: String,
    },
    /// Random bytes are unavailable.
    #[error("the operating system's random source failed")]
    Random,
    /// The lease of a claimed job has passed to another owner, or the job is gone.
    #[error("the lease on job {id} is lost")]
    JobLost {
        /// The job.
        id: Uuid,
    },
    /// A lease has ended or belongs to another owner.
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
    #[error("the store was created for {found} and is opened for {wanted}")]
    WrongMode {
        /// The mode that the store was made for.
        found: StoreMode,
        /// The mode that it is opened for.
        wanted: StoreMode,
    },
    /// The master key is not the store's.
    #[error("the master key is not the one that this store was made with")]
    WrongMasterKey,
    /// No configured master key is the store's.
    #[error(
        "none of the configured master keys belongs to this store: add the file of its key to secrets.other_master_key_files"
    )]
    NoMasterKeyFits,
    /// A replaced master key that may still wrap a data key is not configured.
    #[error(
        "a master key that was replaced may still wrap data keys: name it in secrets.other_master_key_files until the log says that it may be removed"
    )]
    EarlierMasterKeyMissing,
    /// The secret wrapped by the master key does not decrypt.
    #[error("the store's root secret cannot be opened by the master key: the records were changed")]
    RootUnreadable,
    /// A restore is filling the store, or was interrupted.
    #[error(
        "the store is being restored from a backup, or its restore was cut short: wait for the restore, or start it again"
    )]
    Restoring,
    /// There are rows, but not the schema row that describes them.
    #[error("the store holds data but no schema row")]
    SchemaMissing,
}
