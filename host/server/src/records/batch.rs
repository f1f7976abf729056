use jiff::Timestamp;
use parafa_store::{Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use parafa_platform::accounts::KeyMode;

/// Several signings for one set of parties.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct BatchRow {
    pub(crate) id: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) mode: KeyMode,
    pub(crate) created_at: Timestamp,
    /// In the order of the documents.
    pub(crate) signings: Vec<Uuid>,
    pub(crate) data_key: Uuid,
    /// A [`BatchPrivate`]; none once one of the signings is erased: theirs
    /// is the same title.
    pub(crate) private: Option<Sealed>,
}

/// What a batch was called, sealed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct BatchPrivate {
    pub(crate) title: String,
    pub(crate) external_id: Option<String>,
}

impl Table for BatchRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("batches");
    const CONTENT: Content = Content::Keys;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        Named::key(self.data_key)
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.private {
            Some(_) => self.named(),
            None => Named::default(),
        }
    }
}
