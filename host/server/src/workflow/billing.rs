//! Whether a workspace can pay, and what it has used.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parafa_store::Transaction;
use url::Url;
use uuid::Uuid;

use super::accounts::Caller;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    BillingRow, Funding, KeyMode, PriceStep, SigningRow, UsageItem, UsageRow, UsageTotalRow,
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
        let caller = *caller;
        self.store
            .read(|tx| Box::pin(async move { check(tx, &caller).await }))
            .await
    }
}

/// The same as part of a transaction.
pub(super) async fn check(tx: &mut Transaction<'_>, caller: &Caller) -> Result<(), WorkflowError> {
    if caller.mode == KeyMode::Test {
        return Ok(());
    }
    let Some(billing) = tx.get::<BillingRow>(&caller.tenant).await? else {
        return Ok(());
    };
    let cause = match billing.funding {
        Funding::Ceiling => Some(PaymentCause::Ceiling),
        Funding::NoRail => Some(PaymentCause::NoRail),
        Funding::Overdue => Some(PaymentCause::Overdue),
        Funding::Ok => match billing.ceiling_cents {
            None => None,
            Some(ceiling) => {
                let total = total(tx, caller.tenant).await?;
                let next = price(&billing.ladder, total.signatures + 1);
                (total.unpaid_cents.saturating_add(next) > ceiling).then_some(PaymentCause::Ceiling)
            }
        },
    };
    match cause {
        None => Ok(()),
        Some(cause) => Err(WorkflowError::PaymentRequired {
            cause,
            recovery_url: billing
                .recovery_url
                .and_then(|url| Url::parse(&url).ok())
                .map(Box::new),
        }),
    }
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
    let amount_cents = price(&ladder, total.signatures);
    total.unpaid_cents = total.unpaid_cents.saturating_add(amount_cents);
    let usage = UsageRow {
        tenant: row.tenant,
        id: tx.new_id()?,
        at: tx.now(),
        item: UsageItem::Signature,
        reference: row.signing.id.uuid(),
        amount_cents,
    };
    tx.insert(&usage).await?;
    tx.put(&total).await?;
    Ok(())
}

/// The workspace's total, with the count of signatures begun anew each month.
async fn total(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<UsageTotalRow, WorkflowError> {
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
            unpaid_cents: 0,
        },
    })
}

/// What the n-th signature of a month costs; nothing where no step is set.
fn price(ladder: &[PriceStep], number: u64) -> u64 {
    ladder
        .iter()
        .rev()
        .find(|step| step.from <= number)
        .map_or(0, |step| step.cents)
}

fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_step_that_is_reached_sets_the_price() {
        let ladder = [
            PriceStep { from: 1, cents: 50 },
            PriceStep {
                from: 101,
                cents: 40,
            },
        ];

        assert_eq!(price(&ladder, 1), 50);
        assert_eq!(price(&ladder, 100), 50);
        assert_eq!(price(&ladder, 101), 40);
        assert_eq!(price(&[], 7), 0);
    }

    #[test]
    fn months_are_those_of_utc() {
        assert_eq!(month("2026-03-31T23:59:59Z".parse().unwrap()), "2026-03");
        assert_eq!(month("2026-04-01T00:00:00Z".parse().unwrap()), "2026-04");
    }
}
