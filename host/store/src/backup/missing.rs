//! What rows name and a backup does not hold.

use std::collections::{BTreeMap, HashSet};

use ::bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::records::Part;
use crate::error::StoreError;
use crate::table::{Table, decode, layout};

/// A row as it lies in the records.
#[derive(Clone, Copy, Debug)]
pub struct StoredRow<'r> {
    key: &'r [u8],
    value: &'r [u8],
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
}

/// Byte files and data keys, by their ids.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Named {
    /// Byte files.
    pub files: HashSet<Uuid>,
    /// Data keys.
    pub keys: HashSet<Uuid>,
}

/// Something that a row needs and that is not there.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Missing {
    /// The table of the row.
    pub table: String,
    /// What the row needs.
    pub kind: MissingKind,
    /// Its id.
    pub id: Uuid,
}

/// What a row may need.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingKind {
    /// A byte file.
    Document,
    /// A data key.
    DataKey,
}

/// Plays records and keeps the rows that need what is not there. How much it keeps depends on how
/// much is missing.
pub(super) struct Completeness<'n> {
    there: &'n Named,
    needs: fn(&StoredRow<'_>, Timestamp) -> Result<Named, StoreError>,
    at: Timestamp,
    lacking: BTreeMap<Bytes, Named>,
}

impl<'n> Completeness<'n> {
    pub(super) fn new(
        there: &'n Named,
        needs: fn(&StoredRow<'_>, Timestamp) -> Result<Named, StoreError>,
        at: Timestamp,
    ) -> Self {
        Self {
            there,
            needs,
            at,
            lacking: BTreeMap::new(),
        }
    }

    /// What is said later of a row counts.
    pub(super) fn note(&mut self, part: &Part) -> Result<(), StoreError> {
        for (key, value) in &part.rows {
            let needed = match value {
                Some(value) => (self.needs)(&StoredRow { key, value }, self.at)?,
                None => Named::default(),
            };
            let lacking = Named {
                files: &needed.files - &self.there.files,
                keys: &needed.keys - &self.there.keys,
            };
            if lacking == Named::default() {
                self.lacking.remove(key);
            } else {
                self.lacking.insert(key.clone(), lacking);
            }
        }
        Ok(())
    }

    /// In the order of tables.
    pub(super) fn into_missing(self) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (key, lacking) in self.lacking {
            let table = layout::table_of(&key);
            let kinds = [
                (MissingKind::Document, lacking.files),
                (MissingKind::DataKey, lacking.keys),
            ];
            for (kind, ids) in kinds {
                missing.extend(ids.into_iter().map(|id| Missing {
                    table: table.clone(),
                    kind,
                    id,
                }));
            }
        }
        missing.sort();
        missing.dedup();
        missing
    }
}
