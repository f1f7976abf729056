use parafa_store::{Guard, Page};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{DeliveryCommand, Desk, OperateError, Part};
use crate::records::{DeliveryAttempt, NoticeKind, NoticeRow, WEBHOOK_NOTICES_OF_TENANT};
use crate::workflow::notices;

/// Deliveries in one part of a list.
const AT_ONCE: usize = 200;

impl Desk<'_> {
    pub(super) async fn delivery(&self, command: DeliveryCommand) -> Result<Value, OperateError> {
        match command {
            DeliveryCommand::List { tenant, after } => {
                let part = self.list_deliveries(&tenant, after).await?;
                Ok(part.into())
            }
            DeliveryCommand::Replay { id } => self.replay(id).await,
        }
    }

    async fn list_deliveries(
        &self,
        tenant: &str,
        after: Option<Uuid>,
    ) -> Result<Part, OperateError> {
        let tenant = self.tenant_named(tenant).await?;
        let page = &Page {
            after,
            ..Page::newest(AT_ONCE)
        };
        let found = self
            .store
            .read(|tx| {
                Box::pin(async move {
                    let index = &WEBHOOK_NOTICES_OF_TENANT;
                    tx.page_by(index, &tenant.id, page, Guard::none()).await
                })
            })
            .await?;
        Ok(Part::of(&found, shown))
    }

    /// Starts a delivery over: its schedule begins anew, its id stays.
    async fn replay(&self, id: Uuid) -> Result<Value, OperateError> {
        let notice = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx.get::<NoticeRow>(&id).await?;
                    let found = found.filter(|row| matches!(row.kind, NoticeKind::Webhook(_)));
                    let mut notice = found.ok_or(OperateError::UnknownDelivery(id))?;
                    if notice.ended.take().is_none() {
                        return Err(OperateError::DeliveryUnderWay(id));
                    }
                    notice.made = 0;
                    tx.put(&notice).await?;
                    notices::deliver(tx, id).await?;
                    Ok(notice)
                })
            })
            .await?;
        Ok(shown(&notice))
    }
}

fn shown(notice: &NoticeRow) -> Value {
    let event = match notice.kind {
        NoticeKind::Webhook(event) => Some(event.name()),
        NoticeKind::Mail(_) => None,
    };
    let status = match notice.ended {
        None => "pending",
        Some(end) if end.acknowledged => "delivered",
        Some(_) => "failed",
    };
    let attempts: Vec<Value> = notice
        .attempts
        .iter()
        .map(|DeliveryAttempt { at, outcome }| json!({"at": at, "outcome": outcome}))
        .collect();
    json!({
        "id": notice.id,
        "signingId": notice.signing,
        "event": event,
        "occurredAt": notice.occurred_at,
        "status": status,
        "attempts": attempts,
    })
}
