//! Comments: the caller's own remarks on a signing, which signers never see.

use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::CeremonyReader;
use parafa_ceremony::{change, sealing};
use parafa_platform::Records;
use parafa_platform::accounts::Caller;
use parafa_platform::idempotency::Idempotency;
use parafa_store::{Guard, MAX_PAGE_ROWS};
use uuid::Uuid;

use super::api::views;
use crate::error::SigningError;
pub use crate::records::UnsealedComment;
use crate::records::{CommentAuthor, CommentPrivate, CommentRow};

/// Service for comments.
pub struct Comments {
    records: Records,
    reader: CeremonyReader,
    idempotency: Idempotency,
}

impl Comments {
    /// Stores comments in these records.
    pub fn new(records: Records, reader: CeremonyReader, idempotency: Idempotency) -> Self {
        Self {
            records,
            reader,
            idempotency,
        }
    }
}

impl Comments {
    /// Returns all comments of a signing, the oldest first; none once it is
    /// erased.
    pub async fn list_comments(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Vec<UnsealedComment>, SigningError> {
        let row = self.reader.row_of(caller, id).await?;
        let key = match self.reader.key_to(&row).await {
            Err(CeremonyError::NotFound) => return Ok(Vec::new()),
            key => key?,
        };
        let rows = self.comments_of(id).await?;
        rows.into_iter()
            .map(|row| {
                let private = sealing::open(&key, row.id, &row.private)?;
                Ok(UnsealedComment { row, private })
            })
            .collect()
    }

    /// Adds a comment of the caller.
    pub async fn add_comment(
        &self,
        caller: &Caller,
        id: Uuid,
        private: CommentPrivate,
    ) -> Result<UnsealedComment, SigningError> {
        let key = self.reader.key_of(caller, id).await?;
        let comment = self.records.store.new_id().await?;
        let opened = UnsealedComment {
            row: CommentRow {
                signing: id,
                id: comment,
                author: CommentAuthor::Client,
                created_at: self.records.store.now().await?,
                private: sealing::seal(&key, comment, &private)?,
            },
            private,
        };
        let row = &opened.row;
        let answer = || Ok(views::comment(&opened));
        let stored: Result<(), SigningError> = self
            .idempotency
            .commit(caller.claim, &[id], answer, |tx| {
                Box::pin(async move {
                    change::changeable(tx, caller, id).await?;
                    Ok(tx.insert(row).await?)
                })
            })
            .await;
        stored?;
        Ok(opened)
    }

    async fn comments_of(&self, id: Uuid) -> Result<Vec<CommentRow>, SigningError> {
        let mut rows: Vec<CommentRow> = Vec::new();
        loop {
            let last = rows.last().map(|row| row.id);
            let page = self
                .records
                .read(|tx| {
                    Box::pin(async move {
                        let first = (id, last.unwrap_or_default());
                        tx.children_from::<CommentRow>(&(id,), &first, MAX_PAGE_ROWS, Guard::none())
                            .await
                    })
                })
                .await?;
            // A page begins with the last row of the previous page.
            let new = page.rows.into_iter().filter(|row| Some(row.id) != last);
            rows.extend(new);
            if !page.more {
                return Ok(rows);
            }
        }
    }
}
