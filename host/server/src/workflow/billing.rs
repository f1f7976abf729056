//! Whether a workspace can pay, and what it has used.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parafa_store::{StoreError, Transaction};
use url::Url;
use uuid::Uuid;

use super::accounts::Caller;
use crate::app::App;
use crate::config::Billing;
use crate::error::WorkflowError;
use crate::records::{
    Amount, BillingRow, Funding, KeyMode, SigningRow, UsageItem, UsageRow, UsageTotalRow,
};

/// Why a workspace cannot pay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PaymentCause {
    /// What is owed and the next signature together exceed the ceiling.
    Ceiling,
    /// There is no way of paying.
    NoRail,
    /// An invoice is overdue.
    Overdue,
}

impl App {
    /// Refuses a workspace that cannot pay; the sandbox costs nothing.
    pub(super) async fn check_funding(&self, caller: &Caller) -> Result<(), WorkflowError> {
        let (caller, billing) = (*caller, &self.billing);
        self.store
            .read(|tx| Box::pin(async move { check(tx, &caller, billing).await }))
            .await
    }
}

/// The same as part of a transaction.
pub(super) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    configured: &Billing,
) -> Result<(), WorkflowError> {
    if caller.mode == KeyMode::Test {
        return Ok(());
    }
    let billing = tx.get::<BillingRow>(&caller.tenant).await?;
    let Some(cause) = cause(tx, caller.tenant, billing.as_ref()).await? else {
        return Ok(());
    };
    let own: Option<Url> = billing.and_then(|billing| billing.recovery_url);
    Err(WorkflowError::PaymentRequired {
        cause,
        recovery_url: own
            .or_else(|| configured.recovery_url.clone())
            .map(Box::new),
    })
}

async fn cause(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    billing: Option<&BillingRow>,
) -> Result<Option<PaymentCause>, WorkflowError> {
    let Some(billing) = billing else {
        return Ok(Some(PaymentCause::NoRail));
    };
    Ok(match billing.funding {
        Funding::NoRail => Some(PaymentCause::NoRail),
        Funding::Overdue => Some(PaymentCause::Overdue),
        Funding::Ok => match billing.ceiling {
            None => None,
            Some(ceiling) => {
                let total = total(tx, tenant).await?;
                let next = billing.ladder.price(total.signatures + 1);
                (total.unpaid.plus(next) > ceiling).then_some(PaymentCause::Ceiling)
            }
        },
    })
}

/// Enters a real signature into the ledger, in the transaction that stores it.
pub(super) async fn bill_signature(
    tx: &mut Transaction<'_>,
    row: &SigningRow,
) -> Result<(), WorkflowError> {
    if row.mode == KeyMode::Test {
        return Ok(());
    }
    let billing = tx.get::<BillingRow>(&row.tenant).await?;
    let ladder = billing.map(|billing| billing.ladder).unwrap_or_default();
    let mut total = total(tx, row.tenant).await?;
    total.signatures += 1;
    let amount: Amount = ladder.price(total.signatures);
    total.unpaid = total.unpaid.plus(amount);
    let usage = UsageRow {
        tenant: row.tenant,
        id: tx.new_id()?,
        at: tx.now(),
        item: UsageItem::Signature,
        reference: row.signing.id.uuid(),
        amount,
    };
    tx.insert(&usage).await?;
    tx.put(&total).await?;
    Ok(())
}

/// The workspace's total, with the count of signatures begun anew each month.
pub(crate) async fn total(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
) -> Result<UsageTotalRow, StoreError> {
    let month = month(tx.now());
    let stored = tx.get::<UsageTotalRow>(&tenant).await?;
    Ok(match stored {
        Some(total) if total.month == month => total,
        Some(total) => UsageTotalRow {
            month,
            signatures: 0,
            ..total
        },
        None => UsageTotalRow {
            tenant,
            month,
            signatures: 0,
            unpaid: Amount::default(),
        },
    })
}

fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_those_of_utc() {
        assert_eq!(month("2026-03-31T23:59:59Z".parse().unwrap()), "2026-03");
        assert_eq!(month("2026-04-01T00:00:00Z".parse().unwrap()), "2026-04");
    }
}
