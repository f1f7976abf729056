//! Comparison of the content that rows need with a backup's content.

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

/// Plays records and keeps the rows whose content is missing. Its memory grows with the missing
/// content only.
pub(super) struct Completeness<'n> {
    there: &'n Named,
    tables: Tables,
    at: Timestamp,
    /// This program knows the content of rows of this schema.
    knows_rows: bool,
    lacking: BTreeMap<Bytes, Vec<MissingItem>>,
}

impl<'n> Completeness<'n> {
    /// Creates a comparison for rows of this schema version. Rows of a version later than the
    /// program's own are skipped.
    pub(super) fn new(there: &'n Named, tables: Tables, at: Timestamp, schema: u32) -> Self {
        Self {
            there,
            tables,
            at,
            knows_rows: schema <= SCHEMA_VERSION,
            lacking: BTreeMap::new(),
        }
    }

    /// Notes a part; later values of a row replace earlier ones.
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

    /// Returns the missing items in the order of tables.
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

    /// Returns a part with these keys and values.
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

    /// Returns the missing items of these rows when no content exists.
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
