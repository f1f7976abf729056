use parafa_api_signing::views::date_time;
use parafa_platform::accounts::Product;
use parafa_platform::outbox;
use parafa_platform::outbox::{
    DELIVERIES_OF_TENANT, DeliveryAttempt, NoticeKind, NoticeRow, Replay,
};
use parafa_store::{Guard, Page};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{DeliveryCommand, OperateError, OperatorCommands, Part};

/// Deliveries in one part of a list.
const AT_ONCE: usize = 200;

impl OperatorCommands {
    pub(crate) async fn delivery(&self, command: DeliveryCommand) -> Result<Value, OperateError> {
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
            .records
            .read(|tx| {
                Box::pin(async move {
                    let index = &DELIVERIES_OF_TENANT;
                    tx.page_by(index, &tenant.id, page, Guard::none()).await
                })
            })
            .await?;
        Ok(Part::of(&found, shown))
    }

    /// Restarts a delivery: its schedule begins again and its id stays. A
    /// delivery waiting for its next attempt gets that attempt now.
    async fn replay(&self, id: Uuid) -> Result<Value, OperateError> {
        let notice = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx.get::<NoticeRow>(&id).await?;
                    let mut notice = found.ok_or(OperateError::UnknownDelivery(id))?;
                    match notice.kind {
                        NoticeKind::Webhook(_) => {
                            if outbox::replay(tx, &mut notice).await? == Replay::UnderWay {
                                return Err(OperateError::DeliveryUnderWay(id));
                            }
                        }
                        NoticeKind::Mail(_) => {
                            if notice.ended.take().is_none() {
                                return Err(OperateError::UnknownDelivery(id));
                            }
                            outbox::send(tx, &[id]).await?;
                            notice.made = 0;
                            tx.put(&notice).await?;
                        }
                    }
                    Ok::<_, OperateError>(notice)
                })
            })
            .await?;
        Ok(shown(&notice))
    }
}

fn shown(notice: &NoticeRow) -> Value {
    let (what, name) = match &notice.kind {
        NoticeKind::Webhook(event) => ("event", event),
        NoticeKind::Mail(letter) => ("letter", letter),
    };
    let attempts: Vec<Value> = notice
        .attempts
        .iter()
        .map(|DeliveryAttempt { at, outcome }| json!({"at": date_time(*at), "outcome": outcome}))
        .collect();
    let subject = match notice.product {
        Product::Signing => "signingId",
        Product::Diligence => "orderId",
    };
    json!({
        "id": notice.id,
        subject: (!notice.is_test()).then_some(notice.subject),
        what: name,
        "signerId": notice.party,
        "occurredAt": date_time(notice.occurred_at),
        "status": notice.status(),
        "attempts": attempts,
    })
}
