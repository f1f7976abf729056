//! What rows need and a backup does not hold, and rows that cannot be read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a backup is to have and cannot show.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Missing {
    /// The table of the row that it is about.
    pub table: String,
    /// What is missing.
    #[serde(flatten)]
    pub what: MissingItem,
}

/// What may be missing.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "id")]
pub enum MissingItem {
    /// A byte file that the row needs.
    Document(Uuid),
    /// A data key that the row needs.
    DataKey(Uuid),
    /// The row itself: it is there and cannot be read, so that nobody knows what it needs. By its
    /// [`name`](crate::StoredRow::name).
    Row(String),
}

/// How much is missing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Shortfall {
    /// Byte files and data keys, each counted once however many rows need it.
    pub contents: usize,
    /// Rows that cannot be read.
    pub unreadable: usize,
}

impl Shortfall {
    /// Counts what a list has.
    #[must_use]
    pub fn of(missing: &[Missing]) -> Self {
        let (rows, contents): (Vec<_>, Vec<_>) = missing
            .iter()
            .map(|missing| &missing.what)
            .partition(|what| matches!(what, MissingItem::Row(_)));
        Self {
            contents: contents.into_iter().collect::<BTreeSet<_>>().len(),
            unreadable: rows.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_rows_of_two_tables_need_counts_once() {
        let missing = [
            ("notes", MissingItem::DataKey(Uuid::nil())),
            ("signings", MissingItem::DataKey(Uuid::nil())),
            ("signings", MissingItem::Document(Uuid::nil())),
            ("signings", MissingItem::Row("00".to_owned())),
        ];
        let missing = missing.map(|(table, what)| Missing {
            table: table.to_owned(),
            what,
        });

        let expected = Shortfall {
            contents: 2,
            unreadable: 1,
        };
        assert_eq!(Shortfall::of(&missing), expected);
    }
}
