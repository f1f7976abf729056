//! Funding and usage of workspaces.

mod money;
mod price;
mod reserved;
mod rows;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parafa_store::{StoreError, Transaction};
use url::Url;
use uuid::Uuid;

use crate::register_calls::CallForm;

pub use self::money::{Amount, CURRENCY, NoAmount};
pub use self::price::{NoPriceLadder, NoPriceStep, PriceLadder, PriceStep};
pub use self::reserved::{Reserved, reserve};
pub use self::rows::{BillingRow, Funding, UsageItem, UsageRow, UsageTotalRow};

/// Reason why a workspace cannot pay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PaymentCause {
    /// Unpaid, reserved and requested amounts together exceed this ceiling.
    Ceiling(Amount),
    /// There is no payment method.
    NoRail,
    /// An invoice is overdue.
    Overdue,
}

/// Refusal of a workspace that cannot pay.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PaymentRequired {
    /// The cause.
    pub cause: PaymentCause,
    /// The workspace's own page on which a person can settle the cause.
    pub recovery_url: Option<Url>,
}

/// Checks that a workspace can pay `wanted` in addition to what it owes and has
/// reserved.
///
/// # Errors
/// When the store fails.
pub async fn check_funding(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    wanted: Reserved,
) -> Result<Result<(), PaymentRequired>, StoreError> {
    let billing = tx.get::<BillingRow>(&tenant).await?;
    Ok(match cause(tx, tenant, billing.as_ref(), wanted).await? {
        None => Ok(()),
        Some(cause) => Err(PaymentRequired {
            cause,
            recovery_url: billing.and_then(|billing| billing.recovery_url),
        }),
    })
}

async fn cause(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    billing: Option<&BillingRow>,
    wanted: Reserved,
) -> Result<Option<PaymentCause>, StoreError> {
    let Some(billing) = billing else {
        return Ok(Some(PaymentCause::NoRail));
    };
    Ok(match billing.funding {
        Funding::NoRail => Some(PaymentCause::NoRail),
        Funding::Overdue => Some(PaymentCause::Overdue),
        Funding::Ok => match billing.ceiling {
            None => None,
            Some(ceiling) => {
                // The total is read first: a reservation billed after that read
                // causes a conflict.
                let total = total(tx, tenant).await?;
                let due = reserved::under_way(tx, tenant).await?.plus(wanted);
                let price = due.price(&billing.ladder, total.signatures);
                (total.unpaid.plus(price) > ceiling).then_some(PaymentCause::Ceiling(ceiling))
            }
        },
    })
}

/// Returns the price of everything that a workspace has reserved.
///
/// # Errors
/// When the store fails.
pub async fn reserved_price(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    ladder: &PriceLadder,
) -> Result<Amount, StoreError> {
    let total = total(tx, tenant).await?;
    let reserved = reserved::under_way(tx, tenant).await?;
    Ok(reserved.price(ladder, total.signatures))
}

/// Returns the price of the next signature.
async fn next_signature(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<Amount, StoreError> {
    let billing = tx.get::<BillingRow>(&tenant).await?;
    let ladder = billing.map(|billing| billing.ladder).unwrap_or_default();
    let signatures = total(tx, tenant).await?.signatures;
    Ok(ladder.price(signatures + 1))
}

/// Adds a signature to the ledger, in the transaction that stores it.
///
/// # Errors
/// When the store fails.
pub async fn bill_signature(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    signing: Uuid,
) -> Result<(), StoreError> {
    let amount = next_signature(tx, tenant).await?;
    let mut total = total(tx, tenant).await?;
    total.signatures += 1;
    let used = Used {
        item: UsageItem::Signature,
        reference: signing.to_string(),
        amount,
        form: None,
    };
    enter(tx, total, used).await
}

/// A billable use of the service.
#[derive(Clone, Debug)]
pub struct Used {
    /// The item.
    pub item: UsageItem,
    /// The workspace's reference for it.
    pub reference: String,
    /// The price.
    pub amount: Amount,
    /// The form, where the price depends on it.
    pub form: Option<CallForm>,
}

/// Adds a use to the ledger, in the transaction that stores its result.
///
/// # Errors
/// When the store fails.
pub async fn bill(tx: &mut Transaction<'_>, tenant: Uuid, used: Used) -> Result<(), StoreError> {
    let total = total(tx, tenant).await?;
    enter(tx, total, used).await
}

async fn enter(
    tx: &mut Transaction<'_>,
    mut total: UsageTotalRow,
    used: Used,
) -> Result<(), StoreError> {
    total.unpaid = total.unpaid.plus(used.amount);
    let usage = UsageRow {
        tenant: total.tenant,
        id: tx.new_id()?,
        at: tx.now(),
        item: used.item,
        reference: used.reference,
        amount: used.amount,
        form: used.form,
    };
    tx.insert(&usage).await?;
    tx.put(&total).await
}

/// Returns the workspace's total, with the count of signatures restarted each month.
///
/// # Errors
/// When the store fails.
pub async fn total(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<UsageTotalRow, StoreError> {
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
