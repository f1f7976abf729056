//! Reads and writes that happen together.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use ::bytes::Bytes;
use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::{
    Commit, Direction, Engine, EngineError, MAX_SCAN_ENTRIES, Scan, Version, check_key, check_value,
};
use crate::error::StoreError;
use crate::key::{Key, PrefixOf, past_prefix};
use crate::table::{AnyIndex, Index, Page, Paged, Table, decode, encode, index_entries, layout};

/// A row that stands for a set of rows, so that a scan of the set can be relied upon.
///
/// The engine compares the versions of rows that were read. It cannot know of a row that a scan
/// did not see because it was not there yet. So whoever scans a set and decides on what is *not*
/// in it names a guard, and whoever adds to the set calls [`Transaction::touch`] on the same
/// guard. Without such a decision, [`Guard::none`] will do.
#[derive(Clone, Debug)]
pub struct Guard(Option<Vec<u8>>);

impl Guard {
    /// No guard: rows that appear during the transaction may be missed.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The row of table `T` with this key, be it there or not.
    #[must_use]
    pub fn row<T: Table>(key: &T::Key) -> Self {
        let mut guard = vec![b'g'];
        guard.extend(layout::row::<T>(key));
        Self(Some(guard))
    }
}

/// One attempt at a transaction.
///
/// It sees its own writes. Every row that it read, found or not, must be unchanged when it
/// commits; otherwise the attempt is thrown away and the closure runs again. Index entries
/// follow the rows. `'env` is what the closure may borrow from its surroundings.
pub struct Transaction<'env> {
    engine: Arc<dyn Engine>,
    now: Timestamp,
    reads: BTreeMap<Bytes, Read>,
    writes: BTreeMap<Bytes, Option<Bytes>>,
    env: PhantomData<&'env ()>,
}

#[derive(Clone)]
struct Read {
    version: Option<Version>,
    value: Option<Bytes>,
}

impl Transaction<'_> {
    pub(crate) async fn begin(engine: Arc<dyn Engine>) -> Result<Self, StoreError> {
        Ok(Self {
            now: engine.now().await?,
            engine,
            reads: BTreeMap::new(),
            writes: BTreeMap::new(),
            env: PhantomData,
        })
    }

    /// The engine's time when this attempt began.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A new UUIDv7 of [`now`](Self::now).
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new_id(&self) -> Result<Uuid, StoreError> {
        uuid_v7(self.now)
    }

    /// The row with this key.
    ///
    /// # Errors
    /// When the engine fails or the row is not of type `T`.
    pub async fn get<T: Table>(&mut self, key: &T::Key) -> Result<Option<T>, StoreError> {
        self.row(layout::row::<T>(key)).await
    }

    /// Adds a row, or replaces the one with its key.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`], a row that is too large, or the engine's failure.
    pub async fn put<T: Table>(&mut self, row: &T) -> Result<(), StoreError> {
        let key = layout::row::<T>(&row.key());
        let old = self.row::<T>(key.clone()).await?;
        self.replace(key, old.as_ref(), row).await
    }

    /// Adds a row that is not there yet.
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

    /// Removes a row; tells whether it was there.
    ///
    /// # Errors
    /// When the engine fails or the row is not of type `T`.
    pub async fn delete<T: Table>(&mut self, key: &T::Key) -> Result<bool, StoreError> {
        let key = layout::row::<T>(key);
        let Some(old) = self.row::<T>(key.clone()).await? else {
            return Ok(false);
        };
        for (entry, _) in index_entries(&old) {
            self.write(entry, None)?;
        }
        self.write(key, None)?;
        Ok(true)
    }

    /// The row that a unique index has under this key.
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn find<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        key: &K,
    ) -> Result<Option<T>, StoreError> {
        let mut prefix = layout::index(index);
        key.encode(&mut prefix);
        if index.is_unique() {
            return match self.read(prefix).await? {
                None => Ok(None),
                Some(primary) => self.row(layout::row_of_encoded::<T>(&primary)).await,
            };
        }
        let page = Span::of_prefix(prefix).scan(Direction::Ascending, 1);
        Ok(self.rows_of_entries(index, page).await?.rows.pop())
    }

    /// A page of the rows that an index has under exactly this key, in order of the rows' keys.
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn page_by<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        key: &K,
        page: &Page<T::Key>,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let mut prefix = layout::index(index);
        key.encode(&mut prefix);
        let scan = Span::of_prefix(prefix).scan_page(page);
        self.rows_of_entries(index, scan).await
    }

    /// The rows whose keys in an index lie between two prefixes, both included, in index order.
    /// At most `limit`; rows past it are told by [`Paged::more`].
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn range_by<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        from: &impl PrefixOf<K>,
        to: &impl PrefixOf<K>,
        limit: usize,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let span = Span::between(layout::index(index), from, to);
        let scan = span.scan(Direction::Ascending, limit);
        self.rows_of_entries(index, scan).await
    }

    /// A page of a whole table.
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn page<T: Table>(
        &mut self,
        page: &Page<T::Key>,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let scan = Span::of_prefix(layout::table::<T>()).scan_page(page);
        self.rows_of_table(scan).await
    }

    /// The rows whose own keys begin with `prefix`, in key order, `limit` at most.
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn children<T: Table>(
        &mut self,
        prefix: &impl PrefixOf<T::Key>,
        limit: usize,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let mut start = layout::table::<T>();
        prefix.encode(&mut start);
        let scan = Span::of_prefix(start).scan(Direction::Ascending, limit);
        self.rows_of_table(scan).await
    }

    /// Like [`children`](Self::children), from the row with key `first` on.
    ///
    /// # Errors
    /// When the engine fails or a row is not of type `T`.
    pub async fn children_from<T: Table>(
        &mut self,
        prefix: &impl PrefixOf<T::Key>,
        first: &T::Key,
        limit: usize,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let span = Span::between(layout::table::<T>(), first, prefix);
        self.rows_of_table(span.scan(Direction::Ascending, limit))
            .await
    }

    /// Tells those who scan under this guard that the set has changed.
    ///
    /// # Errors
    /// When the guard's key is too long.
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
        let stored = self.engine.get(&key).await?;
        let read = Read {
            version: stored.as_ref().map(|stored| stored.version),
            value: stored.map(|stored| stored.value),
        };
        let value = read.value.clone();
        self.reads.insert(key, read);
        Ok(value)
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

    /// The recorded reads with, or without, the writes.
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
                if holder.is_some_and(|holder| holder != primary) {
                    return Err(StoreError::Duplicate {
                        table: T::NAME.as_str(),
                        index,
                    });
                }
            }
            self.write(entry, Some(primary.clone()))?;
        }
        self.write(key, Some(Bytes::from(encode(new)?)))
    }

    async fn observe(&mut self, guard: Guard) -> Result<(), StoreError> {
        if let Some(key) = guard.0 {
            self.read(key).await?;
        }
        Ok(())
    }

    async fn rows_of_table<T: Table>(&mut self, scan: Scan) -> Result<Paged<T>, StoreError> {
        let found = self.scan(&scan, true).await?;
        let rows = found
            .entries
            .iter()
            .map(|(_, value)| decode(value))
            .collect::<Result<_, _>>()?;
        Ok(Paged {
            rows,
            more: found.more,
        })
    }

    async fn rows_of_entries<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        scan: Scan,
    ) -> Result<Paged<T>, StoreError> {
        let found = self.scan(&scan, false).await?;
        let mut rows = Vec::with_capacity(found.entries.len());
        for (entry, primary) in found.entries {
            let row: Option<T> = self.row(layout::row_of_encoded::<T>(&primary)).await?;
            // The row may have moved on between the scan and this read.
            if let Some(row) = row.filter(|row| has_entry(index, row, &entry)) {
                rows.push(row);
            }
        }
        Ok(Paged {
            rows,
            more: found.more,
        })
    }

    /// Scans what is stored with this transaction's own writes laid over it.
    async fn scan(&mut self, scan: &Scan, record: bool) -> Result<Found, StoreError> {
        let wanted = scan.limit.min(MAX_SCAN_ENTRIES - 1);
        if scan.start >= scan.end {
            return Ok(Found::default());
        }
        let range = Bytes::copy_from_slice(&scan.start)..Bytes::copy_from_slice(&scan.end);
        let mut merged = BTreeMap::new();
        let mut start = scan.clone();
        loop {
            let entries = self.fetch(&start, wanted + 1).await?;
            let exhausted = entries.len() <= wanted;
            let last = entries.last().map(|(key, _)| key.clone());
            for (key, read) in entries {
                if record {
                    self.reads.entry(key.clone()).or_insert(read.clone());
                }
                if !matches!(self.writes.get(&key), Some(None)) {
                    merged.insert(key, read.value.unwrap_or_default());
                }
            }
            match last {
                Some(last) if !exhausted && merged.len() <= wanted => start.move_past(&last),
                _ => break,
            }
        }
        for (key, value) in self.writes.range(range) {
            if let Some(value) = value {
                merged.insert(key.clone(), value.clone());
            }
        }
        let more = merged.len() > wanted;
        let entries = match scan.direction {
            Direction::Ascending => merged.into_iter().take(wanted).collect(),
            Direction::Descending => merged.into_iter().rev().take(wanted).collect(),
        };
        Ok(Found { entries, more })
    }

    async fn fetch(&self, scan: &Scan, limit: usize) -> Result<Vec<(Bytes, Read)>, EngineError> {
        let scan = Scan {
            limit,
            ..scan.clone()
        };
        let entries = self.engine.scan(scan).await?;
        Ok(entries
            .into_iter()
            .map(|entry| {
                let read = Read {
                    version: Some(entry.stored.version),
                    value: Some(entry.stored.value),
                };
                (entry.key, read)
            })
            .collect())
    }
}

impl Scan {
    fn move_past(&mut self, key: &[u8]) {
        match self.direction {
            Direction::Ascending => {
                self.start = key.to_vec();
                self.start.push(0);
            }
            Direction::Descending => self.end = key.to_vec(),
        }
    }
}

#[derive(Default)]
struct Found {
    entries: Vec<(Bytes, Bytes)>,
    more: bool,
}

/// A range of engine keys.
struct Span {
    prefix: Vec<u8>,
    start: Vec<u8>,
    end: Vec<u8>,
}

impl Span {
    fn of_prefix(prefix: Vec<u8>) -> Self {
        Self {
            start: prefix.clone(),
            end: past_prefix(&prefix),
            prefix,
        }
    }

    fn between(prefix: Vec<u8>, from: &impl Key, to: &impl Key) -> Self {
        let mut start = prefix.clone();
        from.encode(&mut start);
        let mut last = prefix.clone();
        to.encode(&mut last);
        Self {
            start,
            end: past_prefix(&last),
            prefix,
        }
    }

    fn scan(self, direction: Direction, limit: usize) -> Scan {
        Scan {
            start: self.start,
            end: self.end,
            direction,
            limit,
        }
    }

    fn scan_page<K: Key>(self, page: &Page<K>) -> Scan {
        let cursor = page.after.as_ref().map(|after| {
            let mut cursor = self.prefix.clone();
            after.encode(&mut cursor);
            cursor
        });
        let mut scan = self.scan(page.direction, page.limit);
        if let Some(cursor) = cursor {
            scan.move_past(&cursor);
        }
        scan
    }
}

fn has_entry<T: Table, K: Key>(index: &Index<T, K>, row: &T, entry: &[u8]) -> bool {
    let prefix = layout::index(index);
    let primary = row.key().encoded();
    index.encoded_keys(row).iter().any(|key| {
        let mut expected = [prefix.as_slice(), key].concat();
        if !index.is_unique() {
            expected.extend_from_slice(&primary);
        }
        expected == entry
    })
}

/// A UUIDv7 of an instant.
pub(crate) fn uuid_v7(at: Timestamp) -> Result<Uuid, StoreError> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|_| StoreError::Random)?;
    let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
    Ok(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
}
