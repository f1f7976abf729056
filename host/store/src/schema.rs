//! What kind of store the data are.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::content::Content;
use crate::engine::{Engine, Entry, Scan};
use crate::error::StoreError;
use crate::keys::MasterKey;
use crate::mode::StoreMode;
use crate::store::{BoxFuture, Store};
use crate::table::{Table, TableName, decode, layout};
use crate::transaction::Transaction;

/// The latest layout of keys and rows that this crate writes.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Deserialize, Serialize)]
struct SchemaRow {
    version: u32,
    mode: StoreMode,
    key_check: String,
    /// When the store was made; not known of one that an earlier program made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
}

impl Table for SchemaRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_schema");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {}
}

/// Stands in an engine that hosts share while a restore fills it: none of them opens it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RestoringRow {
    /// Tells this restore from every other one.
    pub(crate) restore: Uuid,
    pub(crate) until: Timestamp,
}

impl Table for RestoringRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_restoring");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

/// What to do where records do not say what they are for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WhereMissing {
    /// Refuse them, unless there are none.
    Refuse,
    /// Say so of what is left of them.
    Make,
}

/// Checks what kind of store it is, or makes it one; tells when it was made, if that is known.
pub(crate) async fn open(
    store: &Store,
    master: &MasterKey,
    mode: StoreMode,
    where_missing: WhereMissing,
) -> Result<Option<Timestamp>, StoreError> {
    let may_be_made = where_missing == WhereMissing::Make || is_empty(store.engine()).await?;
    let key_check = master.check_value();
    store
        .transact(|tx| check_or_create(tx, may_be_made, mode, &key_check))
        .await
}

/// Whether an engine keeps nothing at all.
pub(crate) async fn is_empty(engine: &dyn Engine) -> Result<bool, StoreError> {
    Ok(first_entries(engine, 1).await?.is_empty())
}

/// The first entries of all that an engine keeps.
pub(crate) async fn first_entries(
    engine: &dyn Engine,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let everything = Scan {
        start: Vec::new(),
        end: crate::key::past_prefix(&[]),
        direction: crate::Direction::Ascending,
        limit,
    };
    Ok(engine.scan(everything).await?)
}

/// The schema version and the mode of what an engine keeps.
pub(crate) async fn of(engine: &dyn Engine) -> Result<(u32, StoreMode), StoreError> {
    let row = engine.get(&key()).await?;
    told_by(row.as_ref().map(|row| &row.value[..]))
}

/// The same by the value of the row that says so, if there is one.
pub(crate) fn told_by(row: Option<&[u8]>) -> Result<(u32, StoreMode), StoreError> {
    let row: SchemaRow = decode(row.ok_or(StoreError::SchemaMissing)?)?;
    Ok((row.version, row.mode))
}

/// Refuses records that no server in this mode and with this master key opens, by the value of
/// the row that says what they are for.
pub(crate) fn check(
    row: Option<&[u8]>,
    master: &MasterKey,
    mode: StoreMode,
) -> Result<(), StoreError> {
    let row: SchemaRow = decode(row.ok_or(StoreError::SchemaMissing)?)?;
    row.check(mode, &master.check_value())
}

/// Where the row is that says what the records are for. Without it no server opens them.
pub(crate) fn key() -> Vec<u8> {
    layout::row::<SchemaRow>(&())
}

fn check_or_create<'t>(
    tx: &'t mut Transaction<'_>,
    may_be_made: bool,
    mode: StoreMode,
    key_check: &'t str,
) -> BoxFuture<'t, Result<Option<Timestamp>, StoreError>> {
    Box::pin(async move {
        match tx.get::<SchemaRow>(&()).await? {
            Some(row) => row.check(mode, key_check).map(|()| row.created_at),
            // Read in the transaction, so that none begins before the row is there.
            None if tx.get::<RestoringRow>(&()).await?.is_some() => Err(StoreError::Restoring),
            None if may_be_made => {
                let row = SchemaRow {
                    version: SCHEMA_VERSION,
                    mode,
                    key_check: key_check.to_owned(),
                    created_at: Some(tx.now()),
                };
                tx.put(&row).await?;
                Ok(row.created_at)
            }
            None => Err(StoreError::SchemaMissing),
        }
    })
}

impl SchemaRow {
    fn check(&self, mode: StoreMode, key_check: &str) -> Result<(), StoreError> {
        if self.version > SCHEMA_VERSION {
            return Err(StoreError::SchemaTooNew {
                found: self.version,
                known: SCHEMA_VERSION,
            });
        }
        if self.mode != mode {
            return Err(StoreError::WrongMode {
                found: self.mode,
                wanted: mode,
            });
        }
        if self.key_check != key_check {
            return Err(StoreError::WrongMasterKey);
        }
        Ok(())
    }
}
