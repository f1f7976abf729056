//! Lookups by index, pages and ranges.

use std::collections::BTreeMap;

use ::bytes::Bytes;
use uuid::Uuid;

use super::span::Span;
use super::{Guard, Read, Transaction};
use crate::earmarks::{EarmarkAmounts, EarmarkRow, entries_of};
use crate::engine::{Direction, EngineError, Scan};
use crate::error::StoreError;
use crate::key::{Key, PrefixOf};
use crate::table::{AnyIndex, Index, MAX_PAGE_ROWS, Page, Paged, Table, decode, layout};

impl Transaction<'_> {
    /// Returns the row that a unique index has under this key.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub async fn find<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        key: &K,
    ) -> Result<Option<T>, StoreError> {
        let mut prefix = layout::index(index);
        key.encode(&mut prefix);
        if index.is_unique() {
            let Some(primary) = self.read(prefix.clone()).await? else {
                return Ok(None);
            };
            let row = self.row(layout::row_of_encoded::<T>(&primary)).await?;
            return Ok(row.filter(|row| has_entry(index, row, &prefix)));
        }
        let page = Span::of_prefix(prefix).scan(Direction::Ascending, 1);
        Ok(self.rows_of_entries(index, page).await?.rows.pop())
    }

    /// Returns a page of the rows that an index has under exactly this key, in order of the
    /// rows' keys.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
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

    /// Returns a page of a whole table.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub async fn page<T: Table>(
        &mut self,
        page: &Page<T::Key>,
        guard: Guard,
    ) -> Result<Paged<T>, StoreError> {
        self.observe(guard).await?;
        let scan = Span::of_prefix(layout::table::<T>()).scan_page(page);
        self.rows_of_table(scan).await
    }

    /// Returns at most `limit` rows whose own keys begin with `prefix`, in key order.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
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
    /// An engine failure, or a row that is not of type `T`.
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

    /// Returns at most `limit` rows that an index has between two of its keys, both included.
    /// They are in order of these keys and then of the rows' own. `from` may extend into the
    /// rows' keys.
    ///
    /// # Errors
    /// An engine failure, or a row that is not of type `T`.
    pub(crate) async fn between<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        from: &impl Key,
        to: &K,
        limit: usize,
    ) -> Result<Paged<T>, StoreError> {
        let span = Span::between(layout::index(index), from, to);
        self.rows_of_entries(index, span.scan(Direction::Ascending, limit))
            .await
    }

    /// Returns the sum that all rows earmark of an owner. For decisions, name a guard that
    /// every additional earmark [touches](Self::touch); released earmarks may still count.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn earmarked(
        &mut self,
        owner: &Uuid,
        guard: Guard,
    ) -> Result<EarmarkAmounts, StoreError> {
        self.observe(guard).await?;
        let mut sum = EarmarkAmounts::default();
        let mut scan = Span::of_prefix(entries_of(owner)).scan(Direction::Ascending, MAX_PAGE_ROWS);
        loop {
            let found = self.scan(&scan, false).await?;
            for (_, value) in &found.entries {
                let row: EarmarkRow = decode(value)?;
                for (sum, amount) in sum.iter_mut().zip(row.amounts) {
                    *sum = sum.saturating_add(amount);
                }
            }
            match found.entries.last() {
                Some((last, _)) if found.more => scan.move_past(last),
                _ => return Ok(sum),
            }
        }
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

    /// Continues past entries whose rows have changed between the scan and their reading. A
    /// page that is not full is therefore the last one, and a page that others follow ends in a
    /// row.
    async fn rows_of_entries<T: Table, K: Key>(
        &mut self,
        index: &Index<T, K>,
        mut scan: Scan,
    ) -> Result<Paged<T>, StoreError> {
        let wanted = scan.limit.min(MAX_PAGE_ROWS);
        let mut rows = Vec::new();
        loop {
            let found = self.scan(&scan, false).await?;
            let last = found.entries.last().map(|(entry, _)| entry.clone());
            let keys = found.entries.iter();
            let keys = keys.map(|(_, primary)| layout::row_of_encoded::<T>(primary));
            self.read_ahead(keys.map(Bytes::from).collect()).await?;
            for (entry, primary) in found.entries {
                let row: Option<T> = self.row(layout::row_of_encoded::<T>(&primary)).await?;
                rows.extend(row.filter(|row| has_entry(index, row, &entry)));
            }
            match last {
                Some(last) if found.more && rows.len() < wanted => {
                    scan.move_past(&last);
                    scan.limit = wanted - rows.len();
                }
                _ => {
                    return Ok(Paged {
                        rows,
                        more: found.more,
                    });
                }
            }
        }
    }

    /// Scans the stored entries, overlaid with this transaction's own writes.
    async fn scan(&mut self, scan: &Scan, record: bool) -> Result<Found, StoreError> {
        let wanted = scan.limit.min(MAX_PAGE_ROWS);
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

#[derive(Default)]
struct Found {
    entries: Vec<(Bytes, Bytes)>,
    more: bool,
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
