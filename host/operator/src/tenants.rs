use parafa_api_http::decode::line_fault;
use parafa_api_signing::views::date_time;
use parafa_platform::accounts::{
    Product, TENANTS_BY_NAME, TenantRow, TenantStatus, USERS_OF_TENANT, UserRow,
};
use parafa_store::{Direction, Guard, MAX_PAGE_ROWS, Page, Transaction};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::part::all_of;
use crate::retention::Keeping;
use crate::{OperateError, OperatorCommands, TenantCommand};

/// Longest name of a workspace, in characters.
pub(crate) const LONGEST_NAME: usize = 200;

impl OperatorCommands {
    pub(crate) async fn tenant(&self, command: TenantCommand) -> Result<Value, OperateError> {
        match command {
            TenantCommand::Create { name } => Ok(shown(&self.create_tenant(&name).await?)),
            TenantCommand::List => self.list_tenants().await,
            TenantCommand::Show { tenant } => self.show_tenant(&tenant).await,
            TenantCommand::Suspend { tenant } => {
                self.change(&tenant, |row| row.status = TenantStatus::Suspended)
                    .await
            }
            TenantCommand::Resume { tenant } => {
                self.change(&tenant, |row| row.status = TenantStatus::Active)
                    .await
            }
            TenantCommand::SetFunding {
                tenant,
                funding,
                ceiling,
                recovery_url,
            } => {
                self.set_funding(&tenant, funding, ceiling, recovery_url)
                    .await
            }
            TenantCommand::SetPrices { tenant, steps } => self.set_prices(&tenant, steps).await,
            TenantCommand::RecordPayment { tenant, amount } => {
                self.record_payment(&tenant, amount).await
            }
            TenantCommand::SetAgreement {
                tenant,
                terms,
                agreement,
                entity,
            } => self.set_agreement(&tenant, terms, agreement, entity).await,
            TenantCommand::SetAdocCategory { tenant, category } => {
                self.change(&tenant, |row| row.adoc_category = Some(category))
                    .await
            }
            TenantCommand::SetRetention { tenant, days } => {
                let days = Keeping::For(days.into_option());
                self.keep_signings(&tenant, days).await
            }
            TenantCommand::Hold { tenant, signing } => {
                self.keep_signings(&tenant, Keeping::Held(signing)).await
            }
            TenantCommand::Release { tenant, signing } => {
                self.keep_signings(&tenant, Keeping::Released(signing))
                    .await
            }
            TenantCommand::SetFace { tenant, change } => self.set_face(&tenant, change).await,
            TenantCommand::RotateSecret { tenant, product } => {
                self.rotate_secret(&tenant, product).await
            }
        }
    }

    /// Creates a workspace.
    pub(crate) async fn create_tenant(&self, name: &str) -> Result<TenantRow, OperateError> {
        let name = name.trim().to_owned();
        if let Some(fault) = line_fault(&name, LONGEST_NAME) {
            return Err(OperateError::Name(fault));
        }
        self.records
            .transact(|tx| {
                let name = name.clone();
                Box::pin(async move {
                    let tenant = TenantRow {
                        id: tx.new_id()?,
                        name,
                        status: TenantStatus::Active,
                        created_at: tx.now(),
                        adoc_category: None,
                    };
                    tx.insert(&tenant).await?;
                    Ok(tenant)
                })
            })
            .await
    }

    async fn list_tenants(&self) -> Result<Value, OperateError> {
        let mut tenants = Vec::new();
        let mut page = Page::<Uuid>::oldest(MAX_PAGE_ROWS);
        loop {
            let read = self
                .records
                .read(|tx| {
                    let page = page.clone();
                    Box::pin(async move { tx.page::<TenantRow>(&page, Guard::none()).await })
                })
                .await?;
            tenants.extend(read.rows.iter().map(shown));
            match read.rows.last() {
                Some(last) if read.more => page = page.after(last.id),
                _ => return Ok(Value::Array(tenants)),
            }
        }
    }

    async fn show_tenant(&self, named: &str) -> Result<Value, OperateError> {
        let tenant = self.tenant_named(named).await?;
        let users = all_of(&self.records.store, &USERS_OF_TENANT, tenant.id).await?;
        let mut value = shown(&tenant);
        value["billing"] = self.shown_billing(tenant.id).await?;
        value["agreement"] = self.shown_agreement(tenant.id).await?;
        value["retention"] = self.shown_retention(tenant.id).await?;
        value["face"] = self.shown_face(tenant.id).await?;
        value["users"] = users
            .iter()
            .map(|UserRow { email, role, .. }| json!({"email": email, "role": role}))
            .collect();
        Ok(value)
    }

    /// Returns the workspace with this id or name.
    pub(crate) async fn tenant_named(&self, named: &str) -> Result<TenantRow, OperateError> {
        self.records
            .read(|tx| Box::pin(async move { find_tenant(tx, named).await }))
            .await
    }

    async fn change(
        &self,
        named: &str,
        change: impl Fn(&mut TenantRow) + Sync,
    ) -> Result<Value, OperateError> {
        let change = &change;
        let tenant = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut tenant = find_tenant(tx, named).await?;
                    change(&mut tenant);
                    tx.put(&tenant).await?;
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        Ok(shown(&tenant))
    }

    async fn rotate_secret(&self, named: &str, product: Product) -> Result<Value, OperateError> {
        let secret = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?;
                    self.replace_secret(tx, tenant.id, product).await
                })
            })
            .await?;
        Ok(json!({"webhookSecret": secret.reveal()}))
    }
}

/// Finds the workspace with this id or name within a transaction.
pub(crate) async fn find_tenant(
    tx: &mut Transaction<'_>,
    named: &str,
) -> Result<TenantRow, OperateError> {
    if let Ok(id) = named.parse::<Uuid>() {
        let row = tx.get::<TenantRow>(&id).await?;
        return row.ok_or_else(|| OperateError::UnknownTenant(named.to_owned()));
    }
    let page = Page {
        limit: 2,
        direction: Direction::Ascending,
        after: None,
    };
    let found = tx
        .page_by(&TENANTS_BY_NAME, &named.to_owned(), &page, Guard::none())
        .await?;
    let mut rows = found.rows.into_iter();
    match (rows.next(), rows.next()) {
        (Some(row), None) => Ok(row),
        (None, _) => Err(OperateError::UnknownTenant(named.to_owned())),
        (Some(_), Some(_)) => Err(OperateError::AmbiguousTenant(named.to_owned())),
    }
}

fn shown(tenant: &TenantRow) -> Value {
    json!({
        "id": tenant.id,
        "name": tenant.name,
        "status": tenant.status,
        "createdAt": date_time(tenant.created_at),
        "adocCategory": tenant.adoc_category,
    })
}
