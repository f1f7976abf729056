use jiff::Timestamp;
use parafa_platform::accounts::KeyMode;
use parafa_store::{Addend, Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A file stored for reuse.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FileRow {
    /// The token, which is also the name of the byte file.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The sealing key.
    pub data_key: Uuid,
    /// SHA-256 of the content, in lower-case hexadecimal.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
    /// The media type.
    pub media_type: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Number of signings that copied the bytes.
    pub used_count: u64,
    /// A [`FilePrivate`].
    pub private: Sealed,
}

/// Sealed content of a stored file.
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

    /// Returns its bytes.
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
    /// The stored row.
    pub row: FileRow,
    /// Its sealed content.
    pub private: FilePrivate,
}
