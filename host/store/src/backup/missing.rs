//! Content that rows need and a backup lacks, and unreadable rows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A missing item of a backup.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Missing {
    /// The table of the row.
    pub table: String,
    /// The missing item.
    #[serde(flatten)]
    pub what: MissingItem,
}

/// Kinds of missing items.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "id")]
pub enum MissingItem {
    /// A byte file that the row needs.
    Document(Uuid),
    /// A data key that the row needs.
    DataKey(Uuid),
    /// The row itself: it is unreadable, so its content is unknown. Given by its
    /// [`name`](crate::StoredRow::name).
    Row(String),
}

/// Counts of missing items.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Shortfall {
    /// Byte files and data keys, each counted once.
    pub contents: usize,
    /// Unreadable rows.
    pub unreadable: usize,
}

impl Shortfall {
    /// Counts the items of a list.
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
