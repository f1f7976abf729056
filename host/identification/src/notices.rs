use anyhow::Context;
use async_trait::async_trait;
use parafa_ceremony::CeremonyLetters;
use parafa_delivery::{Letter, NoticeSource};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_store::{StoreError, Transaction};
use serde_json::Value;

use crate::api::event;
use crate::records::OutcomePayload;

/// Content of the notices of orders and of their ceremonies.
pub struct OrderNotices {
    /// Letters to subjects.
    pub letters: CeremonyLetters,
}

#[async_trait]
impl NoticeSource for OrderNotices {
    fn event_body(&self, notice: &NoticeRow, payload: Value) -> anyhow::Result<Vec<u8>> {
        let payload: OutcomePayload =
            serde_json::from_value(payload).context("an outcome cannot be read")?;
        let event =
            event(notice, &payload).context("an event is about an order that has not ended")?;
        Ok(serde_json::to_vec(&event)?)
    }

    async fn letter(&self, notices: &[NoticeRow]) -> anyhow::Result<Option<Letter>> {
        self.letters.letter(notices).await
    }

    /// Returns false for an outcome: it is sealed under its order's key, which is
    /// not erased with the ceremony.
    async fn has_own_key(
        &self,
        tx: &mut Transaction<'_>,
        notice: &NoticeRow,
    ) -> Result<bool, StoreError> {
        match notice.kind {
            NoticeKind::Webhook(_) => Ok(false),
            NoticeKind::Mail(_) => self.letters.has_own_key(tx, notice).await,
        }
    }
}
