use parafa_api_http::decode::line_fault;
use parafa_api_signing::views::date_time;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::sealing;
use parafa_signing::records::{CommentAuthor, CommentPrivate, CommentRow};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{CommentCommand, OperateError, OperatorCommands};

/// Longest comment, in characters.
const LONGEST_TEXT: usize = 4000;
/// Longest name of a comment's writer, in characters.
const LONGEST_LABEL: usize = 120;

impl OperatorCommands {
    pub(crate) async fn comment(&self, command: CommentCommand) -> Result<Value, OperateError> {
        match command {
            CommentCommand::Add {
                signing,
                text,
                label,
            } => self.add_comment(signing, text, label).await,
        }
    }

    async fn add_comment(
        &self,
        signing: Uuid,
        body: String,
        author_label: Option<String>,
    ) -> Result<Value, OperateError> {
        if body.trim().is_empty() || body.chars().count() > LONGEST_TEXT {
            return Err(OperateError::CommentText {
                longest: LONGEST_TEXT,
            });
        }
        if let Some(fault) = author_label
            .as_deref()
            .and_then(|label| line_fault(label, LONGEST_LABEL))
        {
            return Err(OperateError::Label(fault));
        }
        let row = self.records.store.get::<CeremonyRow>(&signing).await?;
        let row = row
            .filter(|row| row.erased_at.is_none())
            .ok_or(OperateError::UnknownSigning(signing))?;
        let key = self.records.keys.open(row.data_key).await?;
        let id = self.records.store.new_id().await?;
        let private = CommentPrivate { author_label, body };
        let comment = CommentRow {
            signing,
            id,
            author: CommentAuthor::Service,
            created_at: self.records.store.now().await?,
            private: sealing::seal(&key, id, &private)
                .map_err(|error| OperateError::Signing(error.into()))?,
        };
        let stored = &comment;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<CeremonyRow>(&signing).await?;
                    if row.is_none_or(|row| row.erased_at.is_some()) {
                        return Err(OperateError::UnknownSigning(signing));
                    }
                    Ok(tx.insert(stored).await?)
                })
            })
            .await?;
        Ok(json!({
            "commentId": comment.id,
            "author": comment.author,
            "authorLabel": private.author_label,
            "body": private.body,
            "createdAt": date_time(comment.created_at),
        }))
    }
}
