//! The master key, the keys derived from it, and the data keys that it wraps.

use std::io;
use std::sync::Arc;

use uuid::Uuid;

use crate::files;

pub use self::data::{DataKey, Sealed};
pub use self::kept::DataKeys;
pub(crate) use self::kept::ENDING;
pub(crate) use self::look::{Wrapped, look_at};
pub(crate) use self::parts::Parts;

pub use self::master::{BackupProof, BlindIndex, MasterKey, Token, TokenHash, Tokens, hash_token};

mod aead;
mod data;
mod kept;
mod look;
mod master;
mod parts;
mod ring;
mod segments;

/// Length of every key, in bytes.
pub const KEY_BYTES: usize = 32;

/// Failure to use a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The master key's file is missing.
    #[error("the master key {path} is missing")]
    MasterMissing {
        /// The file.
        path: String,
    },
    /// The master key's file is readable by others than the owner.
    #[error("the master key {path} has mode {mode:03o}; it must be readable by its owner only")]
    MasterExposed {
        /// The file.
        path: String,
        /// Its permission bits.
        mode: u32,
    },
    /// The master key's file does not hold a key.
    #[error("the master key {path} does not hold 64 hexadecimal digits")]
    MasterMalformed {
        /// The file.
        path: String,
    },
    /// The folder of data keys is not in its place; nothing is known about any key.
    #[error(
        "the data keys are not in {path}: the folder is missing or not mounted; if it is there and its keys are gone for good, put an empty file data-keys in it"
    )]
    FolderAway {
        /// The place of the folder.
        path: String,
    },
    /// The data key does not exist: it was erased, or never created.
    #[error("the data key {id} does not exist")]
    Missing {
        /// The key.
        id: Uuid,
    },
    /// A data key with this id already exists.
    #[error("the data key {id} already exists")]
    Exists {
        /// The key.
        id: Uuid,
    },
    /// A data key's file does not unwrap under this master key.
    #[error("the data key {id} cannot be unwrapped")]
    Damaged {
        /// The key.
        id: Uuid,
    },
    /// Sealed bytes do not decrypt: another key, another context, or changed bytes.
    #[error("sealed data cannot be opened with this key in this context")]
    Unsealable,
    /// Decrypted bytes are not the expected JSON, or a value cannot be encoded as JSON.
    #[error("sealed data are not the expected JSON")]
    Json,
    /// Random bytes are unavailable.
    #[error("the operating system's random source failed")]
    Random,
    /// The storage of data keys is unavailable or failed. Nothing is lost: a later attempt may
    /// succeed.
    #[error("the data keys are not available: {reason}")]
    Unavailable {
        /// The cause.
        reason: Arc<str>,
    },
    /// A file operation failed.
    #[error("could not {action} {path}")]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
}

impl KeyError {
    /// Returns whether files or folders are at fault, which an operator can fix.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::MasterMissing { .. }
            | Self::MasterExposed { .. }
            | Self::MasterMalformed { .. }
            | Self::FolderAway { .. } => true,
            Self::Io { source, .. } => files::is_for_operators(source),
            Self::Missing { .. }
            | Self::Exists { .. }
            | Self::Damaged { .. }
            | Self::Unsealable
            | Self::Json
            | Self::Random
            | Self::Unavailable { .. } => false,
        }
    }
}
