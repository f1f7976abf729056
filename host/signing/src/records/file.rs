use jiff::Timestamp;
use parafa_platform::accounts::KeyMode;
use parafa_store::{Addend, Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A document that was stored for reuse.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FileRow {
    /// The token, which is also the name of the byte file.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Whether it is of production or of the sandbox.
    pub mode: KeyMode,
    /// The key that seals it.
    pub data_key: Uuid,
    /// Lower-case hex.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
    /// What it is.
    pub media_type: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it goes.
    pub expires_at: Timestamp,
    /// How many signings copied the bytes.
    pub used_count: u64,
    /// A [`FilePrivate`].
    pub private: Sealed,
}

/// What a stored file is called, sealed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FilePrivate {
    /// The name.
    pub name: String,
}

impl Table for FileRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("files");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        Named {
            files: [self.id].into(),
            keys: [self.data_key].into(),
        }
    }

    /// Its bytes.
    fn addend(&self) -> Option<Addend> {
        Some(Addend {
            of: (self.tenant, self.mode == KeyMode::Live),
            amounts: [self.bytes, 0],
        })
    }
}

/// A stored file with its name.
#[derive(Clone, Debug)]
pub struct UnsealedFile {
    /// As it is stored.
    pub row: FileRow,
    /// What is sealed in it.
    pub private: FilePrivate,
}
