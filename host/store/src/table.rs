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

/// A row type: a serde value, kept as JSON under a key of its own.
pub trait Table: Serialize + DeserializeOwned + Send + Sync + Sized + 'static {
    /// What tells one row from another. Use UUIDv7 so that newest-first is a descending scan.
    type Key: Key;

    /// The table's name, which begins all its keys. Never change it.
    const NAME: TableName;

    /// What its rows may name. A sweep takes byte files and data keys that no row names for
    /// nobody's, so that a table which names some and does not say so loses them.
    const CONTENT: Content;

    /// The row's own key. It must not change while the row lives.
    fn key(&self) -> Self::Key;

    /// All the table's indexes. Entries of an index that is not listed here are not kept.
    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[]
    }

    /// All byte files and data keys that the row names, also what may be gone by now. Not asked
    /// of a table with [`Content::Nothing`].
    fn named(&self) -> Named {
        Named::default()
    }

    /// What of it has to be there at this time. Removals follow the commit that ends the need.
    fn needed(&self, _at: Timestamp) -> Named {
        self.named()
    }

    /// What the row adds to the sums of an owner, which [`Store::sum`](crate::Store::sum) tells.
    fn addend(&self) -> Option<Addend> {
        None
    }

    /// What the row keeps back of what an owner may use, which
    /// [`Transaction::earmarked`](crate::Transaction::earmarked) tells.
    fn earmark(&self) -> Option<Earmark> {
        None
    }
}

/// The table of rows that have a key and nothing besides: no index, nothing that they name, and
/// no part in sums: their type, the table's name, and the type of the key that a row has.
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

/// The name of a table, index or queue: lower-case ASCII letters, digits and `_`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TableName(&'static str);

impl TableName {
    /// Longest name, in bytes.
    pub(crate) const MAX_BYTES: usize = 32;

    /// Checks a name; in a constant, while compiling.
    ///
    /// # Panics
    /// When the name is empty, longer than 32 bytes, holds another character or begins with
    /// `_`, which is kept for the tables of this crate.
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

    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// A secondary index of rows `T` by keys `K`.
///
/// A row may have no entry, one, or several. An index is a constant beside its
/// table's rows, which lists it in [`Table::indexes`] and which lookups name.
pub struct Index<T, K> {
    name: TableName,
    unique: bool,
    keys: fn(&T) -> Vec<K>,
}

impl<T: Table, K: Key> Index<T, K> {
    /// An index in which any number of rows may have the same key.
    #[must_use]
    pub const fn many(name: &'static str, keys: fn(&T) -> Vec<K>) -> Self {
        Self {
            name: TableName::new(name),
            unique: false,
            keys,
        }
    }

    /// An index in which each key belongs to one row at most.
    #[must_use]
    pub const fn unique(name: &'static str, keys: fn(&T) -> Vec<K>) -> Self {
        Self {
            name: TableName::new(name),
            unique: true,
            keys,
        }
    }
}

/// An index whose key type is not told, so that a table can list all of its own.
pub trait AnyIndex<T>: Sync {
    /// The index's name, unique within the table.
    fn name(&self) -> &'static str;

    /// Whether each key belongs to one row at most.
    fn is_unique(&self) -> bool;

    /// The row's encoded keys in the index.
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

/// Most rows that one page or range holds.
pub const MAX_PAGE_ROWS: usize = MAX_SCAN_ENTRIES - 1;

/// Which part of a listing to read.
#[derive(Clone, Debug)]
pub struct Page<K> {
    /// Most rows on the page; held at [`MAX_PAGE_ROWS`].
    pub limit: usize,
    /// The order of the rows.
    pub direction: Direction,
    /// The key of the last row of the page before. It names a position, so the row itself may
    /// be gone.
    pub after: Option<K>,
}

impl<K> Page<K> {
    /// The first page, the newest first where keys are UUIDv7.
    #[must_use]
    pub fn newest(limit: usize) -> Self {
        Self {
            limit,
            direction: Direction::Descending,
            after: None,
        }
    }

    /// The first page in key order.
    #[must_use]
    pub fn oldest(limit: usize) -> Self {
        Self {
            limit,
            direction: Direction::Ascending,
            after: None,
        }
    }

    /// The page after the row with this key.
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
    /// Whether rows follow. The next page begins after the last row's key.
    pub more: bool,
}

/// Where a table's rows and index entries stand.
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

    /// What an engine key begins with that says whose it is: a letter for rows, index entries or
    /// a queue, and the name of the table or queue. Nothing for a key of another form.
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

    /// The table whose row has this engine key; none if it is not a row's.
    pub(crate) fn table_of_row(key: &[u8]) -> Option<&str> {
        space_of(key).strip_prefix('t')
    }

    /// Where the first row stands, and where no row stands any more.
    pub(crate) fn all_rows() -> (Vec<u8>, Vec<u8>) {
        (b"t".to_vec(), b"u".to_vec())
    }

    /// Behind all rows of a table.
    pub(crate) fn after_table(name: &str) -> Vec<u8> {
        [b"t", name.as_bytes(), &[1]].concat()
    }

    /// The part of a row's key that tells it from the other rows of its table.
    pub(crate) fn row_key_of(key: &[u8]) -> &[u8] {
        let end_of_name = key.iter().position(|byte| *byte == 0);
        let row_key = end_of_name.and_then(|end| key.get(end + 1..));
        row_key.unwrap_or_default()
    }

    /// The name of the table that an engine key belongs to, for error messages.
    pub(crate) fn table_of(key: &[u8]) -> String {
        let name = key.get(1..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }
}

/// The entries that `row` has in all the indexes of its table: engine key, unique index's name.
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
