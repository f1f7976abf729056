use parafa_store::audit::{self, Verdict};
use parafa_store::{Guard, Page};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{AuditCommand, Desk, OperateError, Part};
use crate::records::SigningRow;

/// Signings in one part of an answer.
const AT_ONCE: usize = 100;

impl Desk<'_> {
    pub(super) async fn audit(&self, command: AuditCommand) -> Result<Value, OperateError> {
        match command {
            AuditCommand::Verify { after } => Ok(self.verify(after).await?.into()),
        }
    }

    /// What each signing's audit trail is worth, erased ones included.
    async fn verify(&self, after: Option<Uuid>) -> Result<Part, OperateError> {
        let page = &Page {
            after,
            ..Page::oldest(AT_ONCE)
        };
        let found = self
            .store
            .read(|tx| Box::pin(async move { tx.page::<SigningRow>(page, Guard::none()).await }))
            .await?;
        let mut part = Part::of(&found, |row| json!({"signingId": row.signing.id.uuid()}));
        for (row, value) in found.rows.iter().zip(&mut part.rows) {
            let chain = row.signing.id.uuid();
            value["brokenAt"] = json!(broken_at(&audit::verify(self.store, chain).await?));
        }
        Ok(part)
    }
}

/// The first event at fault. A signing is not made without an event, so that
/// none is one too few.
fn broken_at(verdict: &Verdict) -> Option<u64> {
    match verdict {
        Verdict::Intact(head) if head.sequence == 0 => Some(1),
        Verdict::Intact(_) => None,
        Verdict::Broken { sequence } => Some(*sequence),
    }
}
