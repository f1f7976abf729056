use parafa_store::{Guard, Index, Key, MAX_PAGE_ROWS, Page, Paged, Store, StoreError, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// One page of an answer that may be too long for one line.
#[derive(Deserialize, Serialize)]
pub struct Part {
    /// The rows.
    pub rows: Vec<Value>,
    /// Cursor of the next page; `None` at the end.
    pub after: Option<Uuid>,
}

impl Part {
    /// Makes a page of rows whose key is their id.
    pub(crate) fn of<T: Table<Key = Uuid>>(page: &Paged<T>, shown: impl Fn(&T) -> Value) -> Self {
        Self {
            rows: page.rows.iter().map(shown).collect(),
            after: page.rows.last().filter(|_| page.more).map(Table::key),
        }
    }
}

impl From<Part> for Value {
    fn from(part: Part) -> Self {
        json!({"rows": part.rows, "after": part.after})
    }
}

/// Returns all rows that an index has under a key, oldest first, page by page.
pub(crate) async fn all_of<T: Table<Key = Uuid>, K: Key + Send + Sync>(
    store: &Store,
    index: &Index<T, K>,
    key: K,
) -> Result<Vec<T>, StoreError> {
    let mut rows = Vec::new();
    let mut page = Page::oldest(MAX_PAGE_ROWS);
    let key = &key;
    loop {
        let this = &page;
        let read = store
            .read(|tx| Box::pin(async move { tx.page_by(index, key, this, Guard::none()).await }))
            .await?;
        page.after = read.rows.last().map(Table::key);
        rows.extend(read.rows);
        if !read.more {
            return Ok(rows);
        }
    }
}
