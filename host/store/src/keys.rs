//! The master key, what is derived from it, and the data keys that it wraps.

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

/// Why a key could not be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The master key's file is missing.
    #[error("the master key {path} is missing")]
    MasterMissing {
        /// The file.
        path: String,
    },
    /// Others than the owner may read the master key's file.
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
    /// The folder of data keys is not where it belongs, and nothing is known of any key.
    #[error(
        "the data keys are not in {path}: the folder is missing or not mounted; if it is there and its keys are gone for good, put an empty file data-keys in it"
    )]
    FolderAway {
        /// Where the folder belongs.
        path: String,
    },
    /// There is no data key with this id: it was erased, or never made.
    #[error("the data key {id} does not exist")]
    Missing {
        /// The key.
        id: Uuid,
    },
    /// A data key with this id is already there.
    #[error("the data key {id} already exists")]
    Exists {
        /// The key.
        id: Uuid,
    },
    /// A data key's file cannot be unwrapped by this master key.
    #[error("the data key {id} cannot be unwrapped")]
    Damaged {
        /// The key.
        id: Uuid,
    },
    /// Sealed bytes do not open: another key, another context, or changed bytes.
    #[error("sealed data cannot be opened with this key in this context")]
    Unsealable,
    /// What was opened is not the expected JSON, or what is to be sealed cannot be written as it.
    #[error("sealed data are not the expected JSON")]
    Json,
    /// Random bytes are not to be had.
    #[error("the operating system's random source failed")]
    Random,
    /// What keeps the data keys is away, or does not do what it is asked. Nothing is lost: the same
    /// may succeed later.
    #[error("the data keys are not available: {reason}")]
    Unavailable {
        /// Why.
        reason: Arc<str>,
    },
    /// A file operation failed.
    #[error("could not {action} {path}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: String,
        /// The operating system's answer.
        source: io::Error,
    },
}

impl KeyError {
    /// Whether it lies with files and folders, which an operator can mend.
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
