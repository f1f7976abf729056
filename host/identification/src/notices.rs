use anyhow::Context;
use async_trait::async_trait;
use jiff::Timestamp;
use parafa_ceremony::CeremonyLetters;
use parafa_delivery::{Letter, NoticeSource};
use parafa_domain::{KycRefusal, KycStatus};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_register_data::EntityCode;
use parafa_store::{StoreError, Transaction};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::reading::ARTIFACT_MEDIA_TYPE;
use crate::records::OutcomePayload;

/// What a callback is posted. No member says whom the order is about.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    event: &'a str,
    order_id: Uuid,
    status: KycStatus,
    status_reason: Option<KycRefusal>,
    entity_code: EntityCode,
    occurred_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<DeliveredArtifact>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeliveredArtifact {
    sha256: String,
    bytes: u64,
    mime_type: &'static str,
}

/// What the notices of orders and of their ceremonies say.
pub struct OrderNotices {
    /// Writes to subjects.
    pub letters: CeremonyLetters,
}

#[async_trait]
impl NoticeSource for OrderNotices {
    fn event_body(&self, notice: &NoticeRow, payload: Value) -> anyhow::Result<Vec<u8>> {
        let NoticeKind::Webhook(event) = &notice.kind else {
            anyhow::bail!("a mail stands among events");
        };
        let payload: OutcomePayload =
            serde_json::from_value(payload).context("an outcome cannot be read")?;
        let artifact = payload.artifact.map(|artifact| DeliveredArtifact {
            sha256: artifact.sha256,
            bytes: artifact.bytes,
            mime_type: ARTIFACT_MEDIA_TYPE,
        });
        Ok(serde_json::to_vec(&Outcome {
            event,
            order_id: notice.subject,
            status: payload.status,
            status_reason: payload.refusal,
            entity_code: payload.entity,
            occurred_at: notice.occurred_at,
            artifact,
        })?)
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
