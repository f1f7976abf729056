use anyhow::Context;
use async_trait::async_trait;
use parafa_api_signing::views as api;
use parafa_ceremony::records::Output;
use parafa_ceremony::{CeremonyError, CeremonyLetters};
use parafa_delivery::{Letter, NoticeSource};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_store::{StoreError, Transaction};
use serde_json::Value;

use super::views::output;
use super::vocabulary::IntoApi;
use crate::records::{EventKind, EventPayload, EventSigner};

/// Content of signings' notices.
pub struct SigningNotices {
    /// Letters to signers.
    pub letters: CeremonyLetters,
}

#[async_trait]
impl NoticeSource for SigningNotices {
    fn event_body(&self, notice: &NoticeRow, payload: Value) -> anyhow::Result<Vec<u8>> {
        let NoticeKind::Webhook(name) = &notice.kind else {
            anyhow::bail!("an email is among the events");
        };
        let kind = EventKind::named(name).context("an event has an unknown kind")?;
        let payload: EventPayload = serde_json::from_value(payload)?;
        Ok(event_body(notice, kind, &payload)?)
    }

    async fn letter(&self, notices: &[NoticeRow]) -> anyhow::Result<Option<Letter>> {
        self.letters.letter(notices).await
    }

    async fn has_own_key(
        &self,
        tx: &mut Transaction<'_>,
        notice: &NoticeRow,
    ) -> Result<bool, StoreError> {
        self.letters.has_own_key(tx, notice).await
    }
}

/// Writes the body of an event for a webhook of the signing API.
fn event_body(
    notice: &NoticeRow,
    kind: EventKind,
    payload: &EventPayload,
) -> Result<Vec<u8>, CeremonyError> {
    let document = payload.document.as_ref().map(|document| {
        output(Output {
            version: &document.version,
            simulated: document.simulated,
        })
    });
    let event = api::SigningEvent {
        event: kind.into_api(),
        signing_id: notice.subject.into(),
        status: payload.status.into_api(),
        external_id: payload.external_id.clone(),
        occurred_at: notice.occurred_at,
        completion_mode: payload.completion_mode.map(IntoApi::into_api),
        signer: payload.signer.as_ref().map(signer),
        document: document.transpose()?,
    };
    serde_json::to_vec(&event).map_err(|_| CeremonyError::Inconsistent("an event is no JSON"))
}

fn signer(signer: &EventSigner) -> api::EventSigner {
    api::EventSigner {
        signer_id: signer.id.into(),
        email: signer.email.clone(),
        status: signer.status.into_api(),
        decline_reason: signer.decline_reason.clone(),
    }
}
