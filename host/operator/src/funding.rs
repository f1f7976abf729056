use parafa_platform::billing;
use parafa_platform::billing::{Amount, BillingRow, CURRENCY, Funding, PriceLadder, PriceStep};
use parafa_store::{StoreError, Transaction};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::tenants::find_tenant;
use crate::{FundingStatus, OperateError, OperatorCommands};

impl OperatorCommands {
    pub(crate) async fn set_funding(
        &self,
        named: &str,
        status: FundingStatus,
        ceiling: Option<Amount>,
        recovery_url: Option<Url>,
    ) -> Result<Value, OperateError> {
        let page = recovery_url.as_ref();
        if page.is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Err(OperateError::RecoveryUrl);
        }
        self.change_billing(named, |row| {
            (row.funding, row.ceiling) = match status {
                FundingStatus::Ok => (Funding::Ok, ceiling),
                FundingStatus::Ceiling => (Funding::Ok, Some(ceiling.unwrap_or_default())),
                FundingStatus::NoRail => (Funding::NoRail, ceiling.or(row.ceiling)),
                FundingStatus::Overdue => (Funding::Overdue, ceiling.or(row.ceiling)),
            };
            if let Some(page) = page {
                row.recovery_url = Some(page.clone());
            }
        })
        .await
    }

    pub(crate) async fn set_prices(
        &self,
        named: &str,
        steps: Vec<PriceStep>,
    ) -> Result<Value, OperateError> {
        let ladder = if steps.is_empty() {
            self.prices.clone()
        } else {
            PriceLadder::try_from(steps)?
        };
        self.change_billing(named, |row| row.ladder = ladder.clone())
            .await
    }

    pub(crate) async fn record_payment(
        &self,
        named: &str,
        paid: Amount,
    ) -> Result<Value, OperateError> {
        let tenant = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    let mut total = billing::total(tx, tenant).await?;
                    let owed = total.unpaid;
                    let left = owed.minus(paid);
                    total.unpaid = left.ok_or(OperateError::Overpaid { owed, paid })?;
                    tx.put(&total).await?;
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        self.shown_billing(tenant).await
    }

    /// Returns how a workspace pays, its prices and its debt.
    pub(crate) async fn shown_billing(&self, tenant: Uuid) -> Result<Value, OperateError> {
        self.records
            .read(|tx| {
                Box::pin(async move {
                    let row = self.billing_of(tx, tenant).await?;
                    Ok::<_, OperateError>(shown(tx, &row).await?)
                })
            })
            .await
    }

    async fn change_billing(
        &self,
        named: &str,
        change: impl Fn(&mut BillingRow) + Send + Sync,
    ) -> Result<Value, OperateError> {
        let change = &change;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    let mut row = self.billing_of(tx, tenant).await?;
                    change(&mut row);
                    tx.put(&row).await?;
                    Ok::<_, OperateError>(shown(tx, &row).await?)
                })
            })
            .await
    }

    /// Returns the workspace's row, or the default without one.
    async fn billing_of(
        &self,
        tx: &mut Transaction<'_>,
        tenant: Uuid,
    ) -> Result<BillingRow, OperateError> {
        let row = tx.get::<BillingRow>(&tenant).await?;
        Ok(row.unwrap_or_else(|| BillingRow {
            tenant,
            funding: Funding::NoRail,
            ceiling: None,
            recovery_url: None,
            ladder: self.prices.clone(),
        }))
    }
}

async fn shown(tx: &mut Transaction<'_>, row: &BillingRow) -> Result<Value, StoreError> {
    let total = billing::total(tx, row.tenant).await?;
    let reserved = billing::reserved_price(tx, row.tenant, &row.ladder).await?;
    let steps = row.ladder.steps().iter();
    let prices: Vec<Value> = steps
        .map(|step| json!({"from": step.from, "amount": step.amount.to_string()}))
        .collect();
    Ok(json!({
        "funding": row.funding,
        "ceiling": row.ceiling.map(|ceiling| ceiling.to_string()),
        "recoveryUrl": row.recovery_url,
        "currency": CURRENCY,
        "unpaid": total.unpaid.to_string(),
        "reserved": reserved.to_string(),
        "signaturesThisMonth": total.signatures,
        "prices": prices,
    }))
}
