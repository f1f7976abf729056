use jiff::{SignedDuration, Timestamp};
use parafa_api_signing::views::date_time;
use parafa_platform::accounts::TenantRow;
use parafa_platform::billing::{CURRENCY, UsageItem, UsageRow};
use parafa_store::clock::shifted;
use parafa_store::{Guard, Paged, Table};
use serde_json::{Value, json};
use uuid::{Builder, Uuid};

use crate::{Month, OperateError, OperatorCommands, Part, UsageCommand};

/// Maximum distance between the time in an id and the time of its row.
const ONE_DAY: SignedDuration = SignedDuration::from_hours(24);
/// Rows in one part of an export.
const AT_ONCE: usize = 500;

impl OperatorCommands {
    pub(crate) async fn usage(&self, command: UsageCommand) -> Result<Value, OperateError> {
        match command {
            UsageCommand::Export {
                tenant,
                only,
                since,
                month,
                after,
                ..
            } => {
                let tenant = tenant.or(only).ok_or(OperateError::NoTenant)?;
                let part = match month {
                    None => self.export(&tenant, since, after).await?,
                    Some(month) => self.export_month(&tenant, month, after).await?,
                };
                Ok(part.into())
            }
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

    async fn export_month(
        &self,
        tenant: &str,
        month: Month,
        after: Option<Uuid>,
    ) -> Result<Part, OperateError> {
        let workspace = self.tenant_named(tenant).await?;
        let found: Paged<UsageRow> = self.rows_of(tenant, Some(month.start()), after).await?;
        // Entries are ordered by id, and a clock that was set back may have
        // separated ids from times.
        let is_over = |row: &UsageRow| row.at >= shifted(month.end(), ONE_DAY);
        let last = found.rows.last().filter(|row| found.more && !is_over(row));
        let is_asked = |row: &&UsageRow| (month.start()..month.end()).contains(&row.at);
        let booked = found.rows.iter().filter(is_asked);
        Ok(Part {
            rows: booked.map(|row| booked_as(row, &workspace)).collect(),
            after: last.map(|row| row.id),
        })
    }

    /// Returns the rows of a workspace, oldest first, beginning shortly before
    /// `since`.
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

/// Returns the lowest possible id of a row of this time: an id's time is never
/// before the row's.
fn first_id(since: Timestamp) -> Uuid {
    let millis = u64::try_from(since.as_millisecond()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
}

/// Returns an entry with the additional members for accounting.
fn booked_as(usage: &UsageRow, workspace: &TenantRow) -> Value {
    let mut booked = shown(usage);
    booked["id"] = json!(usage.id);
    booked["tenant"] = json!(workspace.id);
    booked["workspace"] = json!(workspace.name);
    // Kind of the record that `ref` names.
    booked["refersTo"] = json!(match usage.item {
        UsageItem::Signature => "signing",
        UsageItem::IdentificationPackage => "order",
        _ => "call",
    });
    booked
}

fn shown(usage: &UsageRow) -> Value {
    let mut shown = json!({
        "at": date_time(usage.at),
        "product": usage.item.product(),
        "item": usage.item,
        "ref": usage.reference,
        "amount": usage.amount.to_string(),
        "currency": CURRENCY,
        // Unbilled usage does not enter the ledger.
        "billed": true,
    });
    if let Some(form) = usage.form {
        shown["tier"] = json!(form.tier);
        shown["interpreted"] = json!(form.interpreted);
    }
    shown
}
