//! Stored rows, readable or not.

use uuid::Uuid;

use crate::engine::{Direction, Scan};
use crate::error::StoreError;
use crate::key::past_prefix;
use crate::store::Store;
use crate::table::{Table, decode, layout};

/// Rows read at once.
const AT_ONCE: usize = 256;

/// A row as stored in the records.
#[derive(Clone, Copy, Debug)]
pub struct StoredRow<'r> {
    pub(crate) key: &'r [u8],
    pub(crate) value: &'r [u8],
}

impl StoredRow<'_> {
    /// Decodes the row, if it is of this table.
    ///
    /// # Errors
    /// [`StoreError::Decode`].
    pub fn of_table<T: Table>(&self) -> Result<Option<T>, StoreError> {
        if !self.key.starts_with(&layout::table::<T>()) {
            return Ok(None);
        }
        decode(self.value).map(Some)
    }

    /// Returns the name of the row within its table: its key as a UUID if it has that length,
    /// otherwise in hexadecimal.
    #[must_use]
    pub fn name(&self) -> String {
        let key = layout::row_key_of(self.key);
        match Uuid::from_slice(key) {
            Ok(id) => id.to_string(),
            Err(_) => hex::encode(key),
        }
    }
}

impl Store {
    /// Returns the names of all tables with rows, in alphabetical order.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn table_names(&self) -> Result<Vec<String>, StoreError> {
        let (mut start, end) = layout::all_rows();
        let mut names = Vec::new();
        loop {
            let scan = Scan {
                start,
                end: end.clone(),
                direction: Direction::Ascending,
                limit: 1,
            };
            let entries = self.engine().scan(scan).await?;
            let Some(first) = entries.first() else {
                return Ok(names);
            };
            let name = layout::table_of(&first.key);
            start = layout::after_table(&name);
            names.push(name);
        }
    }

    /// Passes each row of a table, in key order, to `show`, including rows that are not of type
    /// `T`. All rows shown are durable on return. Rows added or removed meanwhile may be missed.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn each_row<T: Table>(
        &self,
        mut show: impl FnMut(StoredRow<'_>) + Send,
    ) -> Result<(), StoreError> {
        let mut start = layout::table::<T>();
        let end = past_prefix(&start);
        loop {
            let scan = Scan {
                start,
                end: end.clone(),
                direction: Direction::Ascending,
                limit: AT_ONCE,
            };
            let entries = self.engine().scan(scan).await?;
            for entry in &entries {
                show(StoredRow {
                    key: &entry.key,
                    value: &entry.stored.value,
                });
            }
            let Some(last) = entries.last() else {
                return self.settle().await;
            };
            start = last.key.to_vec();
            start.push(0);
        }
    }
}
