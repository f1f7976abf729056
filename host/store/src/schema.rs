//! What kind of store the data are.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::engine::{Engine, Scan};
use crate::error::StoreError;
use crate::keys::MasterKey;
use crate::store::{BoxFuture, Store};
use crate::table::{Table, TableName, decode, layout};
use crate::transaction::Transaction;

/// The latest layout of keys and rows that this crate writes.
pub const SCHEMA_VERSION: u32 = 1;

/// What a store was made for. Neither kind of server opens the other's.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreMode {
    /// The demo world.
    Demo,
    /// Real signatures.
    Production,
}

impl fmt::Display for StoreMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Demo => "demo",
            Self::Production => "production",
        })
    }
}

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
    let everything = Scan {
        start: Vec::new(),
        end: crate::key::past_prefix(&[]),
        direction: crate::Direction::Ascending,
        limit: 1,
    };
    Ok(engine.scan(everything).await?.is_empty())
}

/// The schema version and the mode of what an engine keeps.
pub(crate) async fn of(engine: &dyn Engine) -> Result<(u32, StoreMode), StoreError> {
    let row = engine.get(&layout::row::<SchemaRow>(&())).await?;
    let row = row.ok_or(StoreError::SchemaMissing)?;
    let row: SchemaRow = decode(&row.value)?;
    Ok((row.version, row.mode))
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
