use jiff::Timestamp;
use parafa_store::{Addend, Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use parafa_platform::accounts::KeyMode;

/// A document that was stored for reuse.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct FileRow {
    /// The token, which is also the name of the byte file.
    pub(crate) id: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) mode: KeyMode,
    pub(crate) data_key: Uuid,
    /// Lower-case hex.
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) media_type: String,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
    /// How many signings copied the bytes.
    pub(crate) used_count: u64,
    /// A [`FilePrivate`].
    pub(crate) private: Sealed,
}

/// What a stored file is called, sealed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct FilePrivate {
    pub(crate) name: String,
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
