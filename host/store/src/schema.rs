//! The schema row, which says what kind of store the records are.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::content::Content;
use crate::engine::{Engine, Entry, Scan};
use crate::error::StoreError;
use crate::keys::{KeyError, MasterKey, Sealed};
use crate::mode::StoreMode;
use crate::store::Store;
use crate::table::{Table, TableName, decode, layout};
use crate::transaction::Transaction;

pub use self::rotation::KeyRotation;
use self::rotation::Standing;

mod rotation;

/// Latest layout of keys and rows that this crate writes: a store with a root secret, which
/// earlier programs must not open.
pub const SCHEMA_VERSION: u32 = 2;
/// Layout without a root secret. Every other row is the same in both.
const WITHOUT_ROOT: u32 = 1;

#[derive(Deserialize, Serialize)]
struct SchemaRow {
    version: u32,
    mode: StoreMode,
    /// Check value of the store's master key.
    key_check: String,
    /// Root secret, wrapped by that key. In a store of an earlier program, the key itself is the
    /// root until it is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Sealed>,
    /// The replaced keys, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<KeyRotation>,
    /// Time of the store's creation; unknown for a store of an earlier program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
}

impl Table for SchemaRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_schema");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {}
}

/// Row of a shared engine while a restore fills it: no host opens it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RestoringRow {
    /// Id of this restore.
    pub(crate) restore: Uuid,
    pub(crate) until: Timestamp,
}

impl Table for RestoringRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_restoring");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

/// Handling of records without a schema row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WhereMissing {
    /// Refuse them, unless there are none.
    Refuse,
    /// Create a schema row for the remaining ones.
    Make,
}

/// Checks the kind of store, or creates a store, under the configured master key; returns its time
/// of creation, if known. A store under another configured key is moved to the master key, unless
/// that was replaced before.
pub(crate) async fn open(
    store: &Store,
    master: &MasterKey,
    mode: StoreMode,
    where_missing: WhereMissing,
) -> Result<Option<Timestamp>, StoreError> {
    let is_new = is_empty(store.engine()).await?;
    let may_be_made = where_missing == WhereMissing::Make || is_new;
    // Without their schema row, the root of the remaining rows is unknown.
    let new_root = is_new.then(|| master.new_root()).transpose();
    let new_root = &new_root.map_err(|error| unusable(&error))?;
    let (created_at, position) = store
        .transact(|tx| {
            Box::pin(check_or_create(
                tx,
                may_be_made.then_some(new_root.as_ref()),
                mode,
                master,
            ))
        })
        .await?;
    master.activate(position);
    Ok(created_at)
}

/// Returns the master key with the store's root secret.
pub(crate) async fn keyed(store: &Store, master: &MasterKey) -> Result<MasterKey, StoreError> {
    let row: Option<SchemaRow> = store.get(&()).await?;
    let row = row.ok_or(StoreError::SchemaMissing)?;
    let position = row.position(master)?;
    master.activate(position);
    let keyed = master.with_root(position, row.root.as_ref());
    keyed.map_err(|error| unusable(&error))
}

/// Maps a failure to create or open a root secret.
fn unusable(error: &KeyError) -> StoreError {
    match error {
        KeyError::Random => StoreError::Random,
        _ => StoreError::RootUnreadable,
    }
}

/// Returns whether an engine is empty.
pub(crate) async fn is_empty(engine: &dyn Engine) -> Result<bool, StoreError> {
    Ok(first_entries(engine, 1).await?.is_empty())
}

/// Returns the first entries of an engine.
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

/// Returns the schema version and the mode of an engine's records.
pub(crate) async fn of(engine: &dyn Engine) -> Result<(u32, StoreMode), StoreError> {
    let row = engine.get(&key()).await?;
    told_by(row.as_ref().map(|row| &row.value[..]))
}

/// Returns the schema version and the mode in the value of the schema row, if it exists.
pub(crate) fn told_by(row: Option<&[u8]>) -> Result<(u32, StoreMode), StoreError> {
    let row: SchemaRow = decode(row.ok_or(StoreError::SchemaMissing)?)?;
    Ok((row.version, row.mode))
}

/// Refuses records that servers in this mode and with this master key cannot open, by the value of
/// the schema row.
pub(crate) fn check(
    row: Option<&[u8]>,
    master: &MasterKey,
    mode: StoreMode,
) -> Result<(), StoreError> {
    let row: SchemaRow = decode(row.ok_or(StoreError::SchemaMissing)?)?;
    row.check(mode)?;
    row.standing(master).map(|_| ())
}

/// Returns the key of the schema row. Without this row no server opens the records.
pub(crate) fn key() -> Vec<u8> {
    layout::row::<SchemaRow>(&())
}

/// Checks the schema row, or creates it where `new` allows it, with that root secret.
async fn check_or_create(
    tx: &mut Transaction<'_>,
    new: Option<Option<&Sealed>>,
    mode: StoreMode,
    master: &MasterKey,
) -> Result<(Option<Timestamp>, usize), StoreError> {
    match (tx.get::<SchemaRow>(&()).await?, new) {
        (Some(mut row), _) => {
            row.check(mode)?;
            let position = match row.standing(master)? {
                Standing::Under(position) => position,
                Standing::ToReplace(position) => {
                    row.replace_key(position, master, tx.now())?;
                    tx.put(&row).await?;
                    0
                }
            };
            Ok((row.created_at, position))
        }
        // Read in the transaction, so that no restore begins before the row exists.
        (None, _) if tx.get::<RestoringRow>(&()).await?.is_some() => Err(StoreError::Restoring),
        (None, Some(root)) => {
            let rotation = match root {
                Some(_) => None,
                None => KeyRotation::of_what_is_left(master, tx.now()),
            };
            let row = SchemaRow {
                version: root.map_or(WITHOUT_ROOT, |_| SCHEMA_VERSION),
                mode,
                key_check: master.check_value(),
                root: root.cloned(),
                rotation,
                created_at: Some(tx.now()),
            };
            tx.put(&row).await?;
            Ok((row.created_at, 0))
        }
        (None, None) => Err(StoreError::SchemaMissing),
    }
}

impl SchemaRow {
    fn check(&self, mode: StoreMode) -> Result<(), StoreError> {
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
        Ok(())
    }
}
