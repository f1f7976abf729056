//! Rows as they lie in the records, whether or not anybody can read them.

use uuid::Uuid;

use crate::engine::{Direction, Scan};
use crate::error::StoreError;
use crate::key::past_prefix;
use crate::store::Store;
use crate::table::{Table, decode, layout};

/// Rows that are looked at before the next are fetched.
const AT_ONCE: usize = 256;

/// A row as it lies in the records.
#[derive(Clone, Copy, Debug)]
pub struct StoredRow<'r> {
    pub(crate) key: &'r [u8],
    pub(crate) value: &'r [u8],
}

impl StoredRow<'_> {
    /// The row, if it is one of this table.
    ///
    /// # Errors
    /// [`StoreError::Decode`].
    pub fn of_table<T: Table>(&self) -> Result<Option<T>, StoreError> {
        if !self.key.starts_with(&layout::table::<T>()) {
            return Ok(None);
        }
        decode(self.value).map(Some)
    }

    /// What tells it from the other rows of its table: its key, written as a UUID where it has as
    /// many bytes, and else in hexadecimal.
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
    /// The names of all tables that have rows, in alphabetical order.
    ///
    /// # Errors
    /// When the engine fails.
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

    /// Shows each row of a table in the order of their keys, those too that are not of type `T`.
    /// All that was shown is durable when this returns. Rows that come and go meanwhile are shown
    /// or not.
    ///
    /// # Errors
    /// When the engine fails.
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
