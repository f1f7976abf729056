//! Declarations of all tables, with the byte files and data keys that their rows name.
//!
//! A sweep removes content that no row names, and a backup reports content that a row needs and
//! is missing. Both therefore must know every table, and stop where the store has an undeclared
//! one.

use std::fmt;

use jiff::Timestamp;
use uuid::Uuid;

use crate::backup::{Missing, MissingItem};
use crate::content::{Content, Named};
use crate::error::StoreError;
use crate::store::{BoxFuture, Store};
use crate::stored_row::StoredRow;
use crate::sums::Moved;
use crate::table::{Table, layout};

/// A table as declared to sweeps and backups.
#[derive(Clone, Copy)]
pub struct TableDeclaration {
    name: &'static str,
    content: Content,
    indexes: fn() -> Vec<(&'static str, bool)>,
    read: for<'a> fn(&'a Store, &'a mut NamedContent) -> BoxFuture<'a, Result<(), StoreError>>,
    needed: fn(&StoredRow<'_>, Timestamp) -> Result<Named, StoreError>,
    needs: for<'a> fn(&'a Store, Timestamp, &'a mut Needs) -> BoxFuture<'a, Result<(), StoreError>>,
    count: for<'a> fn(&'a Store, &'a mut Moved) -> BoxFuture<'a, Result<(), StoreError>>,
}

impl TableDeclaration {
    /// Returns the declaration of `T`.
    #[must_use]
    pub const fn of<T: Table>() -> Self {
        Self {
            name: T::NAME.as_str(),
            content: T::CONTENT,
            indexes: indexes::<T>,
            read: read::<T>,
            needed: needed::<T>,
            needs: needs_of::<T>,
            count: count::<T>,
        }
    }

    /// Returns the table's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the content that its rows may name.
    #[must_use]
    pub const fn content(&self) -> Content {
        self.content
    }

    /// Returns the names of its indexes, with whether each is unique.
    #[must_use]
    pub fn indexes(&self) -> Vec<(&'static str, bool)> {
        (self.indexes)()
    }

    /// Adds its rows' addends to the sums.
    pub(crate) async fn count(&self, store: &Store, sums: &mut Moved) -> Result<(), StoreError> {
        (self.count)(store, sums).await
    }
}

impl fmt::Debug for TableDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableDeclaration")
            .field("name", &self.name)
            .field("content", &self.content)
            .finish_non_exhaustive()
    }
}

/// All tables of a program, except this crate's own: one list for each part that declares some.
#[derive(Clone, Copy, Debug)]
pub struct Tables(&'static [&'static [TableDeclaration]]);

impl Tables {
    /// Creates the tables of these lists.
    #[must_use]
    pub const fn new(lists: &'static [&'static [TableDeclaration]]) -> Self {
        Self(lists)
    }

    /// Iterates over the tables.
    pub fn iter(self) -> impl Iterator<Item = &'static TableDeclaration> {
        self.0.iter().flat_map(|list| list.iter())
    }

    /// Checks that every table in the store is declared.
    ///
    /// # Errors
    /// [`StoreError::UnknownTable`], and an engine failure.
    pub async fn check(self, store: &Store) -> Result<(), StoreError> {
        let names = store.table_names().await?;
        match names.into_iter().find(|name| !self.knows(name)) {
            Some(table) => Err(StoreError::UnknownTable { table }),
            None => Ok(()),
        }
    }

    /// Returns all byte files and data keys named by rows. Unreadable rows are skipped, and
    /// content that they may name counts as named.
    ///
    /// # Errors
    /// [`StoreError::UnknownTable`], and an engine failure.
    pub async fn named_content(self, store: &Store) -> Result<NamedContent, StoreError> {
        self.check(store).await?;
        let mut content = NamedContent::default();
        for table in self.with_content() {
            (table.read)(store, &mut content).await?;
        }
        Ok(content)
    }

    /// Returns the content that rows need at a time.
    ///
    /// # Errors
    /// [`StoreError::UnknownTable`], and an engine failure.
    pub async fn needs(self, store: &Store, at: Timestamp) -> Result<Needs, StoreError> {
        self.check(store).await?;
        let mut needs = Needs::default();
        for table in self.with_content() {
            (table.needs)(store, at, &mut needs).await?;
        }
        Ok(needs)
    }

    /// Returns the byte files and data keys that a row needs at a time.
    pub(crate) fn needed(self, row: &StoredRow<'_>, at: Timestamp) -> Result<Named, StoreError> {
        let Some(name) = layout::table_of_row(row.key) else {
            return Ok(Named::default());
        };
        match self.iter().find(|table| table.name == name) {
            Some(table) if table.content != Content::Nothing => (table.needed)(row, at),
            Some(_) => Ok(Named::default()),
            None if is_own(name) => Ok(Named::default()),
            None => Err(StoreError::UnknownTable {
                table: name.to_owned(),
            }),
        }
    }

    fn with_content(self) -> impl Iterator<Item = &'static TableDeclaration> {
        self.iter()
            .filter(|table| table.content != Content::Nothing)
    }

    fn knows(self, name: &str) -> bool {
        is_own(name) || self.iter().any(|table| table.name == name)
    }
}

/// Returns whether a table is this crate's own: none of those names content.
fn is_own(table: &str) -> bool {
    table.starts_with('_')
}

/// Content that rows need at a time.
#[derive(Debug, Default)]
pub struct Needs {
    /// The table of each row that needs content, with that content.
    pub content: Vec<(&'static str, Named)>,
    /// Unreadable rows.
    pub unread: Vec<Missing>,
}

/// Content named by all readable rows. An unreadable row may name any content of its table.
#[derive(Debug, Default)]
pub struct NamedContent {
    named: Named,
    unread: Vec<UnreadRows>,
}

/// Unreadable rows of a table.
#[derive(Debug)]
pub struct UnreadRows {
    /// The table.
    pub table: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Name of the first one.
    pub first: String,
    /// Error of the first one.
    pub error: StoreError,
    content: Content,
}

impl NamedContent {
    /// Returns whether a row names, or may name, a byte file.
    #[must_use]
    pub fn names_file(&self, id: Uuid) -> bool {
        let mut unread = self.unread.iter();
        unread.any(|unread| unread.content == Content::KeysAndFiles)
            || self.named.files.contains(&id)
    }

    /// Returns whether a row names, or may name, a data key.
    #[must_use]
    pub fn names_key(&self, id: Uuid) -> bool {
        !self.unread.is_empty() || self.named.keys.contains(&id)
    }

    /// Returns whether a row names, or may name, any data key.
    #[must_use]
    pub fn names_keys(&self) -> bool {
        !self.named.keys.is_empty() || !self.unread.is_empty()
    }

    /// Returns the number of byte files named by readable rows.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.named.files.len()
    }

    /// Returns the number of data keys named by readable rows.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.named.keys.len()
    }

    /// Returns the unreadable rows, table by table.
    #[must_use]
    pub fn unread(&self) -> &[UnreadRows] {
        &self.unread
    }

    fn add(&mut self, of_row: Named) {
        self.named.files.extend(of_row.files);
        self.named.keys.extend(of_row.keys);
    }
}

fn indexes<T: Table>() -> Vec<(&'static str, bool)> {
    let indexes = T::indexes().iter();
    indexes
        .map(|index| (index.name(), index.is_unique()))
        .collect()
}

fn needed<T: Table>(row: &StoredRow<'_>, at: Timestamp) -> Result<Named, StoreError> {
    let row = row.of_table::<T>()?;
    Ok(row.map(|row| row.needed(at)).unwrap_or_default())
}

fn read<'a, T: Table>(
    store: &'a Store,
    content: &'a mut NamedContent,
) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(async move {
        let mut unread: Option<UnreadRows> = None;
        let shown = store.each_row::<T>(|stored| match stored.of_table::<T>() {
            Ok(row) => content.add(row.map(|row| row.named()).unwrap_or_default()),
            Err(error) => {
                let first = || UnreadRows {
                    table: T::NAME.as_str(),
                    rows: 0,
                    first: stored.name(),
                    error,
                    content: T::CONTENT,
                };
                unread.get_or_insert_with(first).rows += 1;
            }
        });
        shown.await?;
        content.unread.extend(unread);
        Ok(())
    })
}

fn needs_of<'a, T: Table>(
    store: &'a Store,
    at: Timestamp,
    needs: &'a mut Needs,
) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(async move {
        let table = T::NAME.as_str();
        let shown = store.each_row::<T>(|stored| match stored.of_table::<T>() {
            Ok(row) => {
                let needed = row.map(|row| row.needed(at));
                needs.content.extend(needed.map(|needed| (table, needed)));
            }
            Err(_) => needs.unread.push(Missing {
                table: table.to_owned(),
                what: MissingItem::Row(stored.name()),
            }),
        });
        shown.await
    })
}

/// Adds the addends of a table's rows; an unreadable row adds nothing.
fn count<'a, T: Table>(
    store: &'a Store,
    sums: &'a mut Moved,
) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(async move {
        let shown = store.each_row::<T>(|stored| {
            if let Ok(Some(row)) = stored.of_table::<T>() {
                sums.replace(None, row.addend());
            }
        });
        shown.await
    })
}
