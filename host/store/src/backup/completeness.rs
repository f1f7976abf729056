//! The comparison of what rows need with what a backup holds.

use std::collections::BTreeMap;

use ::bytes::Bytes;
use jiff::Timestamp;

use super::missing::{Missing, MissingItem};
use super::records::Part;
use crate::content::Named;
use crate::error::StoreError;
use crate::schema::SCHEMA_VERSION;
use crate::stored_row::StoredRow;
use crate::table::layout;
use crate::tables::Tables;

/// Plays records and keeps the rows that need what is not there. How much it keeps depends on how
/// much is missing.
pub(super) struct Completeness<'n> {
    there: &'n Named,
    tables: Tables,
    at: Timestamp,
    /// Whether this program knows what rows of this schema need.
    knows_rows: bool,
    lacking: BTreeMap<Bytes, Vec<MissingItem>>,
}

impl<'n> Completeness<'n> {
    /// For the rows of a store of this schema version. Those of a later one than the program's
    /// own are not looked at.
    pub(super) fn new(there: &'n Named, tables: Tables, at: Timestamp, schema: u32) -> Self {
        Self {
            there,
            tables,
            at,
            knows_rows: schema <= SCHEMA_VERSION,
            lacking: BTreeMap::new(),
        }
    }

    /// What is said later of a row counts.
    pub(super) fn note(&mut self, part: &Part) -> Result<(), StoreError> {
        if !self.knows_rows {
            return Ok(());
        }
        for (key, value) in &part.rows {
            let lacking = match value {
                Some(value) => self.lacking_of(&StoredRow { key, value })?,
                None => Vec::new(),
            };
            if lacking.is_empty() {
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
            missing.extend(lacking.into_iter().map(|what| Missing {
                table: table.clone(),
                what,
            }));
        }
        missing.sort();
        missing.dedup();
        missing
    }

    fn lacking_of(&self, row: &StoredRow<'_>) -> Result<Vec<MissingItem>, StoreError> {
        let needed = match self.tables.needed(row, self.at) {
            Err(StoreError::Decode { .. }) => return Ok(vec![MissingItem::Row(row.name())]),
            needed => needed?,
        };
        let files = needed.files.difference(&self.there.files);
        let keys = needed.keys.difference(&self.there.keys);
        Ok(files
            .map(|id| MissingItem::Document(*id))
            .chain(keys.map(|id| MissingItem::DataKey(*id)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::content::Content;
    use crate::key::Key;
    use crate::table::{Table, TableName};
    use crate::tables::TableDeclaration;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    #[derive(Deserialize, Serialize)]
    struct Note {
        id: String,
        data_key: Uuid,
    }

    impl Table for Note {
        type Key = String;
        const NAME: TableName = TableName::new("note");
        const CONTENT: Content = Content::Keys;

        fn key(&self) -> String {
            self.id.clone()
        }

        fn named(&self) -> Named {
            Named::key(self.data_key)
        }
    }

    const TABLES: Tables = Tables::new(&[&[TableDeclaration::of::<Note>()]]);

    /// Rows with these keys and values.
    fn part<const N: usize>(rows: [(&str, &str); N]) -> Part {
        let row = |(id, value): (&str, &str)| {
            let key = layout::row::<Note>(&id.to_owned());
            (Bytes::from(key), Some(Bytes::from(value.to_owned())))
        };
        Part {
            rows: rows.map(row).into(),
            end: None,
        }
    }

    fn whole(id: &str) -> String {
        json!({"id": id, "data_key": Uuid::max()}).to_string()
    }

    /// What is missing of these rows where nothing is there.
    fn missing(parts: &[Part], schema: u32) -> Vec<Missing> {
        let there = Named::default();
        let mut completeness = Completeness::new(&there, TABLES, AT, schema);
        for part in parts {
            completeness.note(part).expect("noted");
        }
        completeness.into_missing()
    }

    #[test]
    fn a_row_that_cannot_be_read_is_listed_and_the_others_are_compared() {
        let parts = [part([("a", "{}"), ("b", &whole("b"))])];
        let mut key = Vec::new();
        "a".encode(&mut key);

        let listed = json!(missing(&parts, SCHEMA_VERSION));

        let expected = json!([
            {"table": "note", "kind": "data-key", "id": Uuid::max()},
            {"table": "note", "kind": "row", "id": hex::encode(key)},
        ]);
        assert_eq!(listed, expected);
        let read: Vec<Missing> = serde_json::from_value(listed).expect("read");
        assert_eq!(read, missing(&parts, SCHEMA_VERSION));
    }

    #[test]
    fn a_row_that_was_replaced_by_a_readable_one_is_not_listed_as_unreadable() {
        let parts = [part([("a", "{}")]), part([("a", &whole("a"))])];

        let missing = missing(&parts, SCHEMA_VERSION);

        let [one] = &missing[..] else {
            panic!("{missing:?}");
        };
        assert_eq!(one.what, MissingItem::DataKey(Uuid::max()));
    }

    #[test]
    fn rows_of_a_later_schema_are_not_compared() {
        let parts = [part([("a", "{}"), ("b", &whole("b"))])];

        assert_eq!(missing(&parts, SCHEMA_VERSION + 1), []);
    }
}
