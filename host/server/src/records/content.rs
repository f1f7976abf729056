//! Which byte files and data keys rows name.

use jiff::Timestamp;
use parafa_store::backup::{Named, StoredRow};
use parafa_store::{BoxFuture, Guard, Page, Store, StoreError, Table};
use uuid::Uuid;

use super::{
    BatchRow, FileRow, IdempotencyRow, IdempotencyState, NoticeRow, SealedAnswer, SigningRow,
};

/// Rows that are read at once.
const PAGE_ROWS: usize = 256;

/// A row that names byte files or data keys.
trait NamesContent: Table {
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

struct Owner {
    add_named: for<'a> fn(&'a Store, &'a mut Named) -> BoxFuture<'a, Result<(), StoreError>>,
    needed: fn(&StoredRow<'_>, Timestamp) -> Result<Option<Named>, StoreError>,
}

impl Owner {
    const fn of<T: NamesContent>() -> Self {
        Self {
            add_named: add_named::<T>,
            needed: needed::<T>,
        }
    }
}

/// All byte files and data keys that any row names.
pub(crate) async fn named_content(store: &Store) -> Result<Named, StoreError> {
    let mut named = Named::default();
    for owner in OWNERS {
        (owner.add_named)(store, &mut named).await?;
    }
    Ok(named)
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
    fn named(&self) -> Named {
        Named {
            files: [self.id].into(),
            keys: [self.data_key].into(),
        }
    }
}

impl NamesContent for BatchRow {
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
    fn named(&self) -> Named {
        key(self.data_key)
    }
}

impl NamesContent for IdempotencyRow {
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

fn add_named<'a, T: NamesContent>(
    store: &'a Store,
    named: &'a mut Named,
) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(async move {
        let mut page = Page::oldest(PAGE_ROWS);
        loop {
            let this = &page;
            let paged = store
                .read(|tx| Box::pin(async move { tx.page::<T>(this, Guard::none()).await }))
                .await?;
            let last = paged.rows.last().map(Table::key);
            for row in paged.rows {
                let of_row = row.named();
                named.files.extend(of_row.files);
                named.keys.extend(of_row.keys);
            }
            if !paged.more || last.is_none() {
                return Ok(());
            }
            page.after = last;
        }
    })
}
