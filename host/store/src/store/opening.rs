//! Opening a store: its kind, and the start of its ids.

use std::sync::Arc;

use uuid::{Uuid, Variant};

use super::{RetryPolicy, Store};
use crate::engine::{Direction, Engine, Scan};
use crate::error::StoreError;
use crate::ids::IdSource;
use crate::key::past_prefix;
use crate::keys::MasterKey;
use crate::mode::StoreMode;
use crate::schema;
use crate::table::layout;

impl Store {
    /// Opens the records in `engine`; an empty engine becomes a store of this mode and key.
    ///
    /// # Errors
    /// Data of a later schema, of the other mode or under another master key.
    pub async fn open(
        engine: Arc<dyn Engine>,
        master: &MasterKey,
        mode: StoreMode,
    ) -> Result<Self, StoreError> {
        Self::opened(engine, master, mode, schema::WhereMissing::Refuse).await
    }

    /// Opens records with a loss; recreates the schema row if that is lost too.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) async fn open_what_is_left(
        engine: Arc<dyn Engine>,
        master: &MasterKey,
        mode: StoreMode,
    ) -> Result<Self, StoreError> {
        Self::opened(engine, master, mode, schema::WhereMissing::Make).await
    }

    async fn opened(
        engine: Arc<dyn Engine>,
        master: &MasterKey,
        mode: StoreMode,
        where_missing: schema::WhereMissing,
    ) -> Result<Self, StoreError> {
        let mut store = Self {
            engine,
            ids: Arc::new(IdSource::default()),
            retry: RetryPolicy::default(),
            counts: Arc::default(),
            sums: Arc::default(),
            created_at: None,
        };
        store.created_at = schema::open(&store, master, mode, where_missing).await?;
        // Hosts that share the store use the database's time, which a restart does not set back,
        // and create ids concurrently: there is nothing to look for.
        if !store.is_shared()
            && let Some(greatest) = greatest_in(&store).await?
        {
            store.ids.go_on_after(greatest);
        }
        Ok(store)
    }
}

/// Returns the greatest UUIDv7 at the beginning of a row's key, or after such an id as the rest
/// of the key. Reads one row of each table, and of each first half of such a pair: in an embedded
/// engine one or two steps in memory each.
async fn greatest_in(store: &Store) -> Result<Option<Uuid>, StoreError> {
    let mut greatest = None;
    for table in store.table_names().await? {
        let start = layout::table_named(&table);
        let mut end = past_prefix(&start);
        loop {
            let scan = Scan {
                start: start.clone(),
                end,
                direction: Direction::Descending,
                limit: 1,
            };
            let rows = store.engine().scan(scan).await?;
            let Some((first, rest)) = rows.first().and_then(|row| {
                let key = layout::row_key_of(&row.key);
                let (id, rest) = key.split_first_chunk()?;
                Some((as_v7(*id)?, rest))
            }) else {
                break;
            };
            let second = <[u8; 16]>::try_from(rest).ok().and_then(as_v7);
            greatest = greatest.max(Some(first)).max(second);
            if second.is_none() {
                break;
            }
            end = [&start, &first.as_bytes()[..]].concat();
        }
    }
    Ok(greatest)
}

fn as_v7(bytes: [u8; 16]) -> Option<Uuid> {
    let id = Uuid::from_bytes(bytes);
    let is_v7 = id.get_version_num() == 7 && id.get_variant() == Variant::RFC4122;
    is_v7.then_some(id)
}
