//! Transactions: atomic reads and writes.

use std::any::Any;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use ::bytes::Bytes;
use jiff::Timestamp;
use uuid::Uuid;

pub use self::guard::Guard;

use crate::earmarks;
use crate::engine::{Commit, Engine, Version, Versioned, check_key, check_value};
use crate::error::StoreError;
use crate::ids::IdSource;
use crate::key::Key;
use crate::sums::Moved;
use crate::table::{Table, decode, encode, index_entries, layout};

mod guard;
mod listing;
mod span;

/// One attempt at a transaction.
///
/// It sees its own writes. Every row that it read, found or not, must be unchanged when it
/// commits; otherwise the attempt is discarded and the closure runs again. Index entries
/// follow the rows. `'env` is what the closure may borrow from its surroundings.
pub struct Transaction<'env> {
    engine: Arc<dyn Engine>,
    ids: Arc<IdSource>,
    now: Timestamp,
    reads: BTreeMap<Bytes, Read>,
    writes: BTreeMap<Bytes, Option<Bytes>>,
    moved: Moved,
    env: PhantomData<&'env ()>,
}

#[derive(Clone)]
struct Read {
    version: Option<Version>,
    value: Option<Bytes>,
}

impl Read {
    fn of(stored: Option<Versioned>) -> Self {
        Self {
            version: stored.as_ref().map(|stored| stored.version),
            value: stored.map(|stored| stored.value),
        }
    }
}

impl Transaction<'_> {
    pub(crate) async fn begin(
        engine: Arc<dyn Engine>,
        ids: Arc<IdSource>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            now: engine.now().await?,
            engine,
            ids,
            reads: BTreeMap::new(),
            writes: BTreeMap::new(),
            moved: Moved::default(),
            env: PhantomData,
        })
    }

    /// Returns the engine's time when this attempt began.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns a new UUIDv7 of [`now`](Self::now), in the same order as those of
    /// [`Store::new_id`](crate::Store::new_id).
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn new_id(&self) -> Result<Uuid, StoreError> {
        self.ids.new_id(self.now)
    }

    /// Returns the row with this key.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub async fn get<T: Table>(&mut self, key: &T::Key) -> Result<Option<T>, StoreError> {
        self.row(layout::row::<T>(key)).await
    }

    /// Adds a row, or replaces the one with its key.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`], a row that is too large, or an engine failure.
    pub async fn put<T: Table>(&mut self, row: &T) -> Result<(), StoreError> {
        let key = layout::row::<T>(&row.key());
        let old = self.row::<T>(key.clone()).await?;
        self.replace(key, old.as_ref(), row).await
    }

    /// Adds a new row.
    ///
    /// # Errors
    /// [`StoreError::Exists`], and those of [`put`](Self::put).
    pub async fn insert<T: Table>(&mut self, row: &T) -> Result<(), StoreError> {
        let key = layout::row::<T>(&row.key());
        if self.read(key.clone()).await?.is_some() {
            return Err(StoreError::Exists {
                table: T::NAME.as_str(),
            });
        }
        self.replace(key, None, row).await
    }

    /// Removes a row; returns whether it existed.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub async fn delete<T: Table>(&mut self, key: &T::Key) -> Result<bool, StoreError> {
        let key = layout::row::<T>(key);
        let Some(old) = self.row::<T>(key.clone()).await? else {
            return Ok(false);
        };
        for (entry, _) in index_entries(&old) {
            self.write(entry, None)?;
        }
        self.write(key, None)?;
        self.follow_earmark(Some(&old), None)?;
        self.moved.replace(old.addend(), None);
        Ok(true)
    }

    /// Keeps a value until this transaction is given up, or is committed and has moved the
    /// sums, even if its caller goes away meanwhile.
    pub fn hold(&mut self, held: Arc<dyn Any + Send + Sync>) {
        self.moved.hold(held);
    }

    /// Signals a change of the set to transactions that scan it under this guard.
    ///
    /// # Errors
    /// A guard with too long a key.
    pub fn touch(&mut self, guard: Guard) -> Result<(), StoreError> {
        match guard.0 {
            None => Ok(()),
            Some(key) => self.write(key, Some(Bytes::new())),
        }
    }

    pub(crate) async fn read(&mut self, key: Vec<u8>) -> Result<Option<Bytes>, StoreError> {
        let key = Bytes::from(key);
        if let Some(written) = self.writes.get(&key) {
            return Ok(written.clone());
        }
        if let Some(read) = self.reads.get(&key) {
            return Ok(read.value.clone());
        }
        let read = Read::of(self.engine.get(&key).await?);
        let value = read.value.clone();
        self.reads.insert(key, read);
        Ok(value)
    }

    /// Reads the rows that are read next, all at once.
    pub(crate) async fn read_ahead(&mut self, mut keys: Vec<Bytes>) -> Result<(), StoreError> {
        keys.retain(|key| !self.writes.contains_key(key) && !self.reads.contains_key(key));
        let stored = self.engine.get_all(&keys).await?;
        let read = stored.into_iter().map(Read::of);
        self.reads.extend(keys.into_iter().zip(read));
        Ok(())
    }

    pub(crate) fn write(&mut self, key: Vec<u8>, value: Option<Bytes>) -> Result<(), StoreError> {
        check_key(&key)?;
        if let Some(value) = &value {
            check_value(value)?;
        }
        self.writes.insert(Bytes::from(key), value);
        Ok(())
    }

    pub(crate) fn written_table(&self) -> Option<String> {
        self.writes.keys().next().map(|key| layout::table_of(key))
    }

    /// Takes the changes of sums by the writes.
    pub(crate) fn take_moved(&mut self) -> Moved {
        std::mem::take(&mut self.moved)
    }

    /// Returns the recorded reads with, or without, the writes.
    pub(crate) fn into_commit(self, with_writes: bool) -> Commit {
        let expectations = self
            .reads
            .into_iter()
            .map(|(key, read)| (key, read.version))
            .collect();
        let mut commit = Commit {
            expectations,
            ..Commit::default()
        };
        if with_writes {
            for (key, value) in self.writes {
                match value {
                    Some(value) => commit.puts.push((key, value)),
                    None => commit.deletes.push(key),
                }
            }
        }
        commit
    }

    async fn row<T: Table>(&mut self, key: Vec<u8>) -> Result<Option<T>, StoreError> {
        self.read(key)
            .await?
            .map(|value| decode(&value))
            .transpose()
    }

    /// Returns whether the row with this encoded key exists and has this entry in an index.
    /// After an accepted loss, entries of missing rows may remain.
    async fn makes_entry<T: Table>(
        &mut self,
        primary: &[u8],
        entry: &[u8],
    ) -> Result<bool, StoreError> {
        let row = self.row::<T>(layout::row_of_encoded::<T>(primary)).await?;
        Ok(row.is_some_and(|row| index_entries(&row).iter().any(|(made, _)| made == entry)))
    }

    async fn replace<T: Table>(
        &mut self,
        key: Vec<u8>,
        old: Option<&T>,
        new: &T,
    ) -> Result<(), StoreError> {
        let primary = Bytes::from(new.key().encoded());
        let before = old.map(index_entries).unwrap_or_default();
        let after = index_entries(new);
        for (entry, _) in &before {
            if !after.iter().any(|(kept, _)| kept == entry) {
                self.write(entry.clone(), None)?;
            }
        }
        for (entry, unique) in after {
            if before.iter().any(|(kept, _)| *kept == entry) {
                continue;
            }
            if let Some(index) = unique {
                let holder = self.read(entry.clone()).await?;
                let other = holder.filter(|holder| *holder != primary);
                if let Some(other) = other
                    && self.makes_entry::<T>(&other, &entry).await?
                {
                    return Err(StoreError::Duplicate {
                        table: T::NAME.as_str(),
                        index,
                    });
                }
            }
            self.write(entry, Some(primary.clone()))?;
        }
        self.write(key, Some(Bytes::from(encode(new)?)))?;
        self.follow_earmark(old, Some(new))?;
        self.moved.replace(old.and_then(T::addend), new.addend());
        Ok(())
    }

    /// Updates the earmark entry of a row.
    fn follow_earmark<T: Table>(
        &mut self,
        old: Option<&T>,
        new: Option<&T>,
    ) -> Result<(), StoreError> {
        let old = old.map(earmarks::entry).transpose()?.flatten();
        let new = new.map(earmarks::entry).transpose()?.flatten();
        if old == new {
            return Ok(());
        }
        if let Some((key, _)) = old {
            self.write(key, None)?;
        }
        if let Some((key, value)) = new {
            self.write(key, Some(Bytes::from(value)))?;
        }
        Ok(())
    }
}
