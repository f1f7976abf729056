//! Typed rows and their secondary indexes.

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::{Content, Named};
use crate::earmarks::Earmark;
use crate::engine::{Direction, MAX_SCAN_ENTRIES};
use crate::error::StoreError;
use crate::key::Key;
use crate::sums::Addend;

/// A row type: a serde value, stored as JSON under a key of its own.
pub trait Table: Serialize + DeserializeOwned + Send + Sync + Sized + 'static {
    /// Key of a row. Use UUIDv7 so that newest-first is a descending scan.
    type Key: Key;

    /// The table's name, which begins all its keys. Never change it.
    const NAME: TableName;

    /// Content that its rows may name. A sweep takes byte files and data keys that no row names
    /// for orphans. A table that names some without declaring it loses them.
    const CONTENT: Content;

    /// Returns the row's own key. It must not change while the row lives.
    fn key(&self) -> Self::Key;

    /// Returns all the table's indexes. Entries of an index that is not listed here are not
    /// maintained.
    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[]
    }

    /// Returns all byte files and data keys that the row names, including those that may be gone
    /// by now. Not called for a table with [`Content::Nothing`].
    fn named(&self) -> Named {
        Named::default()
    }

    /// Returns the content that must exist at this time. Removals follow the commit that ends
    /// the need.
    fn needed(&self, _at: Timestamp) -> Named {
        self.named()
    }

    /// Returns what the row adds to the sums of an owner; see [`Store::sum`](crate::Store::sum).
    fn addend(&self) -> Option<Addend> {
        None
    }

    /// Returns what the row reserves from an owner's allowance; see
    /// [`Transaction::earmarked`](crate::Transaction::earmarked).
    fn earmark(&self) -> Option<Earmark> {
        None
    }
}

/// Implements [`Table`] for rows with a key only, without indexes, named content or addends.
/// Takes the row type, the table's name, and the key's type and expression.
#[macro_export]
macro_rules! plain_table {
    ($row_type:ident : $name:literal by $key_type:ty, |$row:ident| $key:expr) => {
        impl $crate::Table for $row_type {
            type Key = $key_type;

            const NAME: $crate::TableName = $crate::TableName::new($name);
            const CONTENT: $crate::Content = $crate::Content::Nothing;

            fn key(&self) -> $key_type {
                let $row = self;
                $key
            }
        }
    };
}

/// Name of a table, index or queue: lower-case ASCII letters, digits and `_`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TableName(&'static str);

impl TableName {
    /// Longest name, in bytes.
    pub(crate) const MAX_BYTES: usize = 32;

    /// Checks a name; in a constant, at compile time.
    ///
    /// # Panics
    /// When the name is empty, longer than 32 bytes or contains another character. Also when it
    /// begins with `_`, which is reserved for the tables of this crate.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        assert!(name.as_bytes()[0] != b'_', "a leading _ is reserved");
        Self::reserved(name)
    }

    pub(crate) const fn reserved(name: &'static str) -> Self {
        let bytes = name.as_bytes();
        assert!(
            !bytes.is_empty() && bytes.len() <= Self::MAX_BYTES,
            "a name has 1 to 32 bytes"
        );
        let mut at = 0;
        while at < bytes.len() {
            assert!(
                Self::may_have(&bytes[at]),
                "a name has lower-case letters, digits and _"
            );
            at += 1;
        }
        Self(name)
    }

    const fn may_have(byte: &u8) -> bool {
        matches!(*byte, b'a'..=b'z' | b'0'..=b'9' | b'_')
    }

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// A secondary index of rows `T` by keys `K`.
///
/// A row may have no entry, one, or several. An index is a constant beside its table's rows, is
/// listed in [`Table::indexes`], and is named by lookups.
pub struct Index<T, K> {
    name: TableName,
    unique: bool,
    keys: fn(&T) -> Vec<K>,
}

impl<T: Table, K: Key> Index<T, K> {
    /// Creates an index in which any number of rows may have the same key.
    #[must_use]
    pub const fn many(name: &'static str, keys: fn(&T) -> Vec<K>) -> Self {
        Self {
            name: TableName::new(name),
            unique: false,
            keys,
        }
    }

    /// Creates an index in which each key belongs to at most one row.
    #[must_use]
    pub const fn unique(name: &'static str, keys: fn(&T) -> Vec<K>) -> Self {
        Self {
            name: TableName::new(name),
            unique: true,
            keys,
        }
    }
}

/// An index with an erased key type, so that a table can list all of its own.
pub trait AnyIndex<T>: Sync {
    /// Returns the index's name, unique within the table.
    fn name(&self) -> &'static str;

    /// Returns whether each key belongs to at most one row.
    fn is_unique(&self) -> bool;

    /// Returns the row's encoded keys in the index.
    fn encoded_keys(&self, row: &T) -> Vec<Vec<u8>>;
}

impl<T: Table, K: Key> AnyIndex<T> for Index<T, K> {
    fn name(&self) -> &'static str {
        self.name.as_str()
    }

    fn is_unique(&self) -> bool {
        self.unique
    }

    fn encoded_keys(&self, row: &T) -> Vec<Vec<u8>> {
        (self.keys)(row).iter().map(Key::encoded).collect()
    }
}

/// Most rows of one page or range.
pub const MAX_PAGE_ROWS: usize = MAX_SCAN_ENTRIES - 1;

/// Part of a listing to read.
#[derive(Clone, Debug)]
pub struct Page<K> {
    /// Most rows on the page; held at [`MAX_PAGE_ROWS`].
    pub limit: usize,
    /// The order of the rows.
    pub direction: Direction,
    /// Key of the previous page's last row. It is a position, so the row itself may be gone.
    pub after: Option<K>,
}

impl<K> Page<K> {
    /// Returns the first page, the newest rows first where keys are UUIDv7.
    #[must_use]
    pub fn newest(limit: usize) -> Self {
        Self {
            limit,
            direction: Direction::Descending,
            after: None,
        }
    }

    /// Returns the first page in key order.
    #[must_use]
    pub fn oldest(limit: usize) -> Self {
        Self {
            limit,
            direction: Direction::Ascending,
            after: None,
        }
    }

    /// Returns the page after the row with this key.
    #[must_use]
    pub fn after(mut self, cursor: K) -> Self {
        self.after = Some(cursor);
        self
    }
}

/// A page of rows.
#[derive(Clone, Debug)]
pub struct Paged<T> {
    /// The rows, in the page's order.
    pub rows: Vec<T>,
    /// More rows follow. The next page begins after the last row's key.
    pub more: bool,
}

/// Layout of a table's rows and index entries.
///
/// ```text
/// t table 00 key                          row, as JSON
/// i table 00 index 00 index-key key       key (an index with many rows a key)
/// i table 00 index 00 index-key           key (a unique index)
/// ```
pub(crate) mod layout {
    use super::{AnyIndex, Key, Table, TableName};

    pub(crate) fn table<T: Table>() -> Vec<u8> {
        table_named(T::NAME.as_str())
    }

    pub(crate) fn table_named(name: &str) -> Vec<u8> {
        [b"t", name.as_bytes(), &[0]].concat()
    }

    pub(crate) fn row<T: Table>(key: &T::Key) -> Vec<u8> {
        let mut out = table::<T>();
        key.encode(&mut out);
        out
    }

    pub(crate) fn row_of_encoded<T: Table>(key: &[u8]) -> Vec<u8> {
        let mut out = table::<T>();
        out.extend_from_slice(key);
        out
    }

    pub(crate) fn index<T: Table>(index: &dyn AnyIndex<T>) -> Vec<u8> {
        [
            b"i",
            T::NAME.as_str().as_bytes(),
            &[0],
            index.name().as_bytes(),
            &[0],
        ]
        .concat()
    }

    pub(crate) fn queue(name: TableName) -> Vec<u8> {
        [b"q", name.as_str().as_bytes(), &[0]].concat()
    }

    /// Returns the prefix of an engine key that identifies its owner: a letter for rows, index
    /// entries or a queue, and the name of the table or queue. Empty for a key of another form.
    pub(crate) fn space_of(key: &[u8]) -> &str {
        const LONGEST: usize = 1 + TableName::MAX_BYTES;
        let end = key.iter().take(LONGEST + 1).position(|byte| *byte == 0);
        match end.map(|end| &key[..end]) {
            Some([b't' | b'i' | b'q', name @ ..]) if name.iter().all(TableName::may_have) => {
                str::from_utf8(&key[..=name.len()]).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Returns the table of a row's engine key; `None` for other keys.
    pub(crate) fn table_of_row(key: &[u8]) -> Option<&str> {
        space_of(key).strip_prefix('t')
    }

    /// Returns the start and the end of all rows' keys.
    pub(crate) fn all_rows() -> (Vec<u8>, Vec<u8>) {
        (b"t".to_vec(), b"u".to_vec())
    }

    /// Returns a key after all rows of a table.
    pub(crate) fn after_table(name: &str) -> Vec<u8> {
        [b"t", name.as_bytes(), &[1]].concat()
    }

    /// Returns the part of a row's engine key that is its key within the table.
    pub(crate) fn row_key_of(key: &[u8]) -> &[u8] {
        let end_of_name = key.iter().position(|byte| *byte == 0);
        let row_key = end_of_name.and_then(|end| key.get(end + 1..));
        row_key.unwrap_or_default()
    }

    /// Returns the table name in an engine key, for error messages.
    pub(crate) fn table_of(key: &[u8]) -> String {
        let name = key.get(1..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }
}

/// Returns the entries of `row` in all the indexes of its table: engine key, unique index's
/// name.
pub(crate) fn index_entries<T: Table>(row: &T) -> Vec<(Vec<u8>, Option<&'static str>)> {
    let primary = row.key().encoded();
    let mut entries = Vec::new();
    for index in T::indexes() {
        for key in index.encoded_keys(row) {
            let mut entry = layout::index(*index);
            entry.extend_from_slice(&key);
            let unique = index.is_unique().then(|| index.name());
            if unique.is_none() {
                entry.extend_from_slice(&primary);
            }
            entries.push((entry, unique));
        }
    }
    entries
}

pub(crate) fn encode<T: Table>(row: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(row).map_err(|source| StoreError::Encode {
        table: T::NAME.as_str(),
        source,
    })
}

pub(crate) fn decode<T: Table>(value: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(value).map_err(|source| StoreError::Decode {
        table: T::NAME.as_str(),
        source,
    })
}
