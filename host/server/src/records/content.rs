//! Which byte files and data keys rows name.

use jiff::Timestamp;
use parafa_store::backup::{Missing, MissingItem, Named};
use parafa_store::{BoxFuture, Store, StoreError, StoredRow, Table};
use uuid::Uuid;

use super::{
    BatchRow, FileRow, IdempotencyRow, IdempotencyState, NoticeRow, SealedAnswer, SigningRow,
};

/// A row that names data keys, and perhaps byte files.
trait NamesContent: Table {
    /// Whether there are byte files that only such a row names.
    const NAMES_FILES: bool;

    /// All that the row names, also what may be gone by now.
    fn named(&self) -> Named;

    /// What of it has to be there at this time. Removals follow the commit that
    /// ends the need.
    fn needed(&self, _at: Timestamp) -> Named {
        self.named()
    }
}

/// Every table that names a byte file or a data key.
const OWNERS: [Owner; 5] = [
    Owner::of::<SigningRow>(),
    Owner::of::<FileRow>(),
    Owner::of::<BatchRow>(),
    Owner::of::<NoticeRow>(),
    Owner::of::<IdempotencyRow>(),
];

/// What rows need at a time.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// The table of each row that needs something, and what.
    pub(crate) content: Vec<(&'static str, Named)>,
    /// Rows that cannot be read.
    pub(crate) unread: Vec<Missing>,
}

struct Owner {
    read: for<'a> fn(&'a Store, &'a mut NamedContent) -> BoxFuture<'a, Result<(), StoreError>>,
    needed: fn(&StoredRow<'_>, Timestamp) -> Result<Option<Named>, StoreError>,
    needs: for<'a> fn(&'a Store, Timestamp, &'a mut Needs) -> BoxFuture<'a, Result<(), StoreError>>,
}

impl Owner {
    const fn of<T: NamesContent>() -> Self {
        Self {
            read: read::<T>,
            needed: needed::<T>,
            needs: needs_of::<T>,
        }
    }
}

/// What all rows name, as far as they can be read. What one that cannot be read
/// names nobody knows: it may be any content that its table names.
#[derive(Debug, Default)]
pub(crate) struct NamedContent {
    named: Named,
    unread: Vec<Unread>,
}

/// Rows of a table that cannot be read.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) table: &'static str,
    pub(crate) rows: usize,
    /// The name of the first of them.
    pub(crate) first: String,
    /// Why that cannot be read.
    pub(crate) error: StoreError,
    names_files: bool,
}

impl NamedContent {
    /// Whether a row names a byte file, or may name it.
    pub(crate) fn names_file(&self, id: Uuid) -> bool {
        let any = self.unread.iter().any(|unread| unread.names_files);
        any || self.named.files.contains(&id)
    }

    /// Whether a row names a data key, or may name it.
    pub(crate) fn names_key(&self, id: Uuid) -> bool {
        !self.unread.is_empty() || self.named.keys.contains(&id)
    }

    /// Whether a row names a data key, or may name one.
    pub(crate) fn names_keys(&self) -> bool {
        !self.named.keys.is_empty() || !self.unread.is_empty()
    }

    /// The rows that cannot be read, table by table.
    pub(crate) fn unread(&self) -> &[Unread] {
        &self.unread
    }

    fn add(&mut self, of_row: Named) {
        self.named.files.extend(of_row.files);
        self.named.keys.extend(of_row.keys);
    }
}

/// All byte files and data keys that any row names.
///
/// # Errors
/// When the engine fails. A row that cannot be read is passed over, and what it
/// may name counts as named.
pub(crate) async fn named_content(store: &Store) -> Result<NamedContent, StoreError> {
    let mut content = NamedContent::default();
    for owner in OWNERS {
        (owner.read)(store, &mut content).await?;
    }
    Ok(content)
}

/// What rows need at this time.
///
/// # Errors
/// When the engine fails.
pub(crate) async fn needs(store: &Store, at: Timestamp) -> Result<Needs, StoreError> {
    let mut needs = Needs::default();
    for owner in OWNERS {
        (owner.needs)(store, at, &mut needs).await?;
    }
    Ok(needs)
}

/// The byte files and data keys without which a row is none at this time.
pub(crate) fn needed_content(row: &StoredRow<'_>, at: Timestamp) -> Result<Named, StoreError> {
    for owner in OWNERS {
        if let Some(needed) = (owner.needed)(row, at)? {
            return Ok(needed);
        }
    }
    Ok(Named::default())
}

impl NamesContent for SigningRow {
    const NAMES_FILES: bool = true;

    fn named(&self) -> Named {
        let versions = self.versions.iter().chain(&self.artifact);
        Named {
            files: versions.map(|version| version.bytes_id).collect(),
            keys: [self.data_key].into(),
        }
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.erased_at {
            Some(_) => Named::default(),
            None => self.named(),
        }
    }
}

impl NamesContent for FileRow {
    const NAMES_FILES: bool = true;

    fn named(&self) -> Named {
        Named {
            files: [self.id].into(),
            keys: [self.data_key].into(),
        }
    }
}

impl NamesContent for BatchRow {
    const NAMES_FILES: bool = false;

    fn named(&self) -> Named {
        key(self.data_key)
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.private {
            Some(_) => self.named(),
            None => Named::default(),
        }
    }
}

impl NamesContent for NoticeRow {
    const NAMES_FILES: bool = false;

    fn named(&self) -> Named {
        key(self.data_key)
    }
}

impl NamesContent for IdempotencyRow {
    const NAMES_FILES: bool = true;

    fn named(&self) -> Named {
        let IdempotencyState::Answered {
            data_key, answer, ..
        } = &self.state
        else {
            return Named::default();
        };
        let mut named = key(*data_key);
        if let SealedAnswer::File(file) = answer {
            named.files.insert(*file);
        }
        named
    }

    /// An answer whose day is over goes before its row does.
    fn needed(&self, at: Timestamp) -> Named {
        match self.state {
            IdempotencyState::Answered { until, .. } if at < until => self.named(),
            _ => Named::default(),
        }
    }
}

fn key(id: Uuid) -> Named {
    Named {
        keys: [id].into(),
        ..Named::default()
    }
}

fn needed<T: NamesContent>(
    row: &StoredRow<'_>,
    at: Timestamp,
) -> Result<Option<Named>, StoreError> {
    let row = row.of_table::<T>()?;
    Ok(row.map(|row| row.needed(at)))
}

fn read<'a, T: NamesContent>(
    store: &'a Store,
    content: &'a mut NamedContent,
) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(async move {
        let mut unread: Option<Unread> = None;
        let shown = store.each_row::<T>(|stored| match stored.of_table::<T>() {
            Ok(row) => content.add(row.map(|row| row.named()).unwrap_or_default()),
            Err(error) => {
                let first = || Unread {
                    table: T::NAME.as_str(),
                    rows: 0,
                    first: stored.name(),
                    error,
                    names_files: T::NAMES_FILES,
                };
                unread.get_or_insert_with(first).rows += 1;
            }
        });
        shown.await?;
        content.unread.extend(unread);
        Ok(())
    })
}

fn needs_of<'a, T: NamesContent>(
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
