//! Bulk rows, written through the store like the server's own.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use parafa_store::sled::SledOptions;
use parafa_store::{
    AcceptedLoss, AnyIndex, Content, Folder, FolderOptions, Index, StoreError, StoreMode,
    SystemClock, Table, TableName,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::{Builder, Uuid};

/// Rows per transaction.
const AT_ONCE: usize = 1000;
/// Time before all signings that a server creates, in milliseconds since 1970.
const LONG_AGO: u64 = 1_500_000_000_000;
/// Status number of an erased signing that was open.
const CANCELLED: u32 = 4;

/// A row of the server's table of signings, with opaque content.
#[derive(Clone, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct StoredSigning(Value);

const OF_WORKSPACE: Index<StoredSigning, (Uuid, bool)> =
    Index::many("of_workspace", |row| vec![(row.tenant(), true)]);

const BY_STATUS: Index<StoredSigning, (Uuid, bool, u32)> =
    Index::many("by_status", |row| vec![(row.tenant(), true, CANCELLED)]);

impl StoredSigning {
    /// Returns the id of one of the loaded rows.
    pub(crate) fn id_of(number: usize) -> Uuid {
        let millis = LONG_AGO + u64::try_from(number).expect("a number of rows");
        Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
    }

    /// Copies the signing under another id.
    fn under(&self, id: Uuid) -> Self {
        let mut row = self.0.clone();
        row["signing"]["id"] = id.to_string().into();
        // Without an owner, the signing is listed: records of other products
        // are not.
        row["owner"] = Value::Null;
        Self(row)
    }

    fn tenant(&self) -> Uuid {
        uuid(&self.0["tenant"])
    }
}

impl Table for StoredSigning {
    type Key = Uuid;

    const NAME: TableName = TableName::new("signings");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        uuid(&self.0["signing"]["id"])
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&OF_WORKSPACE, &BY_STATUS]
    }
}

/// Stores many copies of an erased signing in the data folder of a stopped
/// demo.
pub(crate) async fn load(data: &Path, erased: Uuid, numbers: Range<usize>) {
    let options = FolderOptions {
        path: data.to_owned(),
        master_key: data.join("master.key"),
        other_master_keys: Vec::new(),
        mode: StoreMode::Demo,
        cache_bytes: SledOptions::DEFAULT_CACHE_BYTES,
        commits_per_sync: SledOptions::DEFAULT_COMMITS_PER_SYNC,
        accepted_loss: AcceptedLoss::None,
        clock: Arc::new(SystemClock),
    };
    let folder = Folder::open(&options).await.expect("a folder at rest");
    let row = folder.store.get::<StoredSigning>(&erased).await;
    let row = &row.expect("the store reads").expect("the signing is there");
    assert_eq!(row.0["mode"], "live", "the indexes say so");
    assert_eq!(row.0["signing"]["status"], "cancelled", "they say this too");
    let numbers: Vec<usize> = numbers.collect();
    for some in numbers.chunks(AT_ONCE) {
        let stored = folder.store.transact(|tx| {
            Box::pin(async move {
                for number in some {
                    tx.insert(&row.under(StoredSigning::id_of(*number))).await?;
                }
                Ok::<_, StoreError>(())
            })
        });
        stored.await.expect("the rows are stored");
    }
}

fn uuid(value: &Value) -> Uuid {
    let text = value.as_str().expect("an id is text");
    text.parse().expect("an id is a UUID")
}
