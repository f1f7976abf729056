//! What kind of store the data are.

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

/// The latest layout of keys and rows that this crate writes: a store with a root secret, which
/// a program that knows none must not open.
pub const SCHEMA_VERSION: u32 = 2;
/// The layout without one. Every other row is the same in both.
const WITHOUT_ROOT: u32 = 1;

#[derive(Deserialize, Serialize)]
struct SchemaRow {
    version: u32,
    mode: StoreMode,
    /// Recognises the master key that the store is under.
    key_check: String,
    /// What is derived from, wrapped by that key; of a store that an earlier program made, the key
    /// itself until it is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Sealed>,
    /// The keys that were replaced, if any was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<KeyRotation>,
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

/// Checks what kind of store it is, or makes it one, under the configured master key; tells when
/// it was made, if that is known. A store under another key of the same configuration is put under
/// the configured one, unless that was replaced before.
pub(crate) async fn open(
    store: &Store,
    master: &MasterKey,
    mode: StoreMode,
    where_missing: WhereMissing,
) -> Result<Option<Timestamp>, StoreError> {
    let is_new = is_empty(store.engine()).await?;
    let may_be_made = where_missing == WhereMissing::Make || is_new;
    // Of rows that are left without theirs nobody knows the root.
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

/// The master key with what the store keeps to derive from.
pub(crate) async fn keyed(store: &Store, master: &MasterKey) -> Result<MasterKey, StoreError> {
    let row: Option<SchemaRow> = store.get(&()).await?;
    let row = row.ok_or(StoreError::SchemaMissing)?;
    let position = row.position(master)?;
    master.activate(position);
    let keyed = master.with_root(position, row.root.as_ref());
    keyed.map_err(|error| unusable(&error))
}

/// Why a root secret could not be made or opened.
fn unusable(error: &KeyError) -> StoreError {
    match error {
        KeyError::Random => StoreError::Random,
        _ => StoreError::RootUnreadable,
    }
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
    row.check(mode)?;
    row.standing(master).map(|_| ())
}

/// Where the row is that says what the records are for. Without it no server opens them.
pub(crate) fn key() -> Vec<u8> {
    layout::row::<SchemaRow>(&())
}

/// `new` is the root of a store that may be made, if it has one.
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
        // Read in the transaction, so that none begins before the row is there.
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
