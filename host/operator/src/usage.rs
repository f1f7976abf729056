use jiff::Timestamp;
use parafa_api_signing::views::date_time;
use parafa_platform::billing::{CURRENCY, UsageRow};
use parafa_store::{Guard, Paged, Table};
use serde_json::{Value, json};
use uuid::{Builder, Uuid};

use crate::{OperateError, OperatorCommands, Part, UsageCommand};

/// Rows in one part of an export.
const AT_ONCE: usize = 500;

impl OperatorCommands {
    pub(crate) async fn usage(&self, command: UsageCommand) -> Result<Value, OperateError> {
        match command {
            UsageCommand::Export {
                tenant,
                since,
                after,
            } => Ok(self.export(&tenant, since, after).await?.into()),
        }
    }

    async fn export(
        &self,
        tenant: &str,
        since: Option<Timestamp>,
        after: Option<Uuid>,
    ) -> Result<Part, OperateError> {
        let found: Paged<UsageRow> = self.rows_of(tenant, since, after).await?;
        let is_asked = |row: &&UsageRow| since.is_none_or(|since| row.at >= since);
        Ok(Part {
            rows: found.rows.iter().filter(is_asked).map(shown).collect(),
            after: found.rows.last().filter(|_| found.more).map(|row| row.id),
        })
    }

    /// Rows of a workspace, the oldest first, beginning a little before `since`.
    pub(crate) async fn rows_of<T: Table<Key = (Uuid, Uuid)>>(
        &self,
        tenant: &str,
        since: Option<Timestamp>,
        after: Option<Uuid>,
    ) -> Result<Paged<T>, OperateError> {
        let tenant = self.tenant_named(tenant).await?.id;
        let first = match (after, since) {
            (Some(after), _) => Uuid::from_u128(after.as_u128().saturating_add(1)),
            (None, Some(since)) => first_id(since),
            (None, None) => Uuid::nil(),
        };
        let store = &self.records.store;
        let found = store.read(|tx| {
            Box::pin(async move {
                let first = (tenant, first);
                tx.children_from::<T>(&(tenant,), &first, AT_ONCE, Guard::none())
                    .await
            })
        });
        Ok(found.await?)
    }
}

/// The least id that a row of this time may have: ids tell a time that is never
/// before the row's.
fn first_id(since: Timestamp) -> Uuid {
    let millis = u64::try_from(since.as_millisecond()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
}

fn shown(usage: &UsageRow) -> Value {
    let mut shown = json!({
        "at": date_time(usage.at),
        "product": usage.item.product(),
        "item": usage.item,
        "ref": usage.reference,
        "amount": usage.amount.to_string(),
        "currency": CURRENCY,
        // What is not billed does not enter the ledger.
        "billed": true,
    });
    if let Some(form) = usage.form {
        shown["tier"] = json!(form.tier);
        shown["interpreted"] = json!(form.interpreted);
    }
    shown
}
