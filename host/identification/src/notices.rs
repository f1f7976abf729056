use anyhow::Context;
use async_trait::async_trait;
use jiff::Timestamp;
use parafa_ceremony::CeremonyLetters;
use parafa_delivery::{Letter, NoticeSource};
use parafa_domain::{KycRefusal, KycStatus};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_register_data::EntityCode;
use parafa_store::{StoreError, Transaction};
use serde_json::Value;
use uuid::Uuid;

use crate::records::{Artifact, OutcomePayload};

/// What a callback is told.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The event, such as `kyc.delivered`.
    pub event: String,
    /// The order.
    pub order: Uuid,
    /// Its state then.
    pub status: KycStatus,
    /// Why it was refused.
    pub refusal: Option<KycRefusal>,
    /// The entity.
    pub entity: EntityCode,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// Of a delivered order.
    pub artifact: Option<Artifact>,
}

/// What the notices of orders and of their ceremonies say.
pub struct OrderNotices {
    /// Writes to subjects.
    pub letters: CeremonyLetters,
    /// Puts an outcome into the words of the API.
    pub body: fn(&Outcome) -> anyhow::Result<Vec<u8>>,
}

#[async_trait]
impl NoticeSource for OrderNotices {
    fn event_body(&self, notice: &NoticeRow, payload: Value) -> anyhow::Result<Vec<u8>> {
        let NoticeKind::Webhook(event) = &notice.kind else {
            anyhow::bail!("a mail stands among events");
        };
        let payload: OutcomePayload =
            serde_json::from_value(payload).context("an outcome cannot be read")?;
        (self.body)(&Outcome {
            event: event.clone(),
            order: notice.subject,
            status: payload.status,
            refusal: payload.refusal,
            entity: payload.entity,
            occurred_at: notice.occurred_at,
            artifact: payload.artifact,
        })
    }

    async fn letter(&self, notices: &[NoticeRow]) -> anyhow::Result<Option<Letter>> {
        self.letters.letter(notices).await
    }

    /// An outcome is sealed under its order's key, which stays with the order.
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
