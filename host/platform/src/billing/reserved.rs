//! Reservations for work in progress, which is billed if it succeeds.

use parafa_store::{Earmark, EarmarkAmounts, Guard, StoreError, Transaction};
use uuid::Uuid;

use super::{Amount, BillingRow, PriceLadder};

/// Future cost of work in progress. The row of the work earmarks it as long as
/// it may still be billed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reserved {
    /// Signatures, priced by their number in the month.
    pub signatures: u64,
    /// Amount of everything with a price of its own.
    pub amount: Amount,
}

impl Reserved {
    /// Reserves this number of signatures.
    pub fn signatures(signatures: u64) -> Self {
        Self {
            signatures,
            ..Self::default()
        }
    }

    /// Reserves this price.
    pub fn amount(amount: Amount) -> Self {
        Self {
            amount,
            ..Self::default()
        }
    }

    /// Returns the earmark for a workspace's row; `None` for a free item.
    pub fn earmark(self, tenant: Uuid) -> Option<Earmark> {
        (self != Self::default()).then_some(Earmark {
            owner: tenant,
            amounts: [self.signatures, self.amount.cents()],
        })
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            signatures: self.signatures.saturating_add(other.signatures),
            amount: self.amount.plus(other.amount),
        }
    }

    /// Returns the price after this number of signatures in the month.
    pub(super) fn price(self, ladder: &PriceLadder, made: u64) -> Amount {
        (1..=self.signatures).fold(self.amount, |sum, number| {
            sum.plus(ladder.price(made.saturating_add(number)))
        })
    }
}

impl From<EarmarkAmounts> for Reserved {
    fn from([signatures, cents]: EarmarkAmounts) -> Self {
        Self {
            signatures,
            amount: Amount::from_cents(cents),
        }
    }
}

/// Returns everything that a workspace has reserved.
pub(super) async fn under_way(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
) -> Result<Reserved, StoreError> {
    Ok(tx.earmarked(&tenant, guard(tenant)).await?.into())
}

/// Makes concurrent decisions about a workspace's reservations conflict. Call it
/// in the transaction that stores another reservation, after its check.
///
/// # Errors
/// When the store fails.
pub async fn reserve(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<(), StoreError> {
    let billing = tx.get::<BillingRow>(&tenant).await?;
    // Without a ceiling nothing depends on the reservations, and concurrent ones
    // need not conflict.
    if billing.is_some_and(|billing| billing.ceiling.is_some()) {
        tx.touch(guard(tenant))?;
    }
    Ok(())
}

fn guard(tenant: Uuid) -> Guard {
    Guard::row::<BillingRow>(&tenant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_under_way_cost_what_their_numbers_in_the_month_do() {
        let ladder: PriceLadder = serde_json::from_str(r#"["1=1.00","4=0.25"]"#).unwrap();
        let package = Reserved::amount(Amount::from_cents(2499));
        let reserved = Reserved::signatures(3).plus(package);

        let cents = |made| reserved.price(&ladder, made).cents() - 2499;
        assert_eq!(cents(0), 300);
        assert_eq!(cents(1), 225);
        assert_eq!(cents(3), 75);
    }

    #[test]
    fn what_costs_nothing_earmarks_nothing() {
        assert_eq!(Reserved::default().earmark(Uuid::nil()), None);
        let earmark = Reserved::signatures(2).earmark(Uuid::nil());
        assert_eq!(earmark.map(|earmark| earmark.amounts), Some([2, 0]));
    }
}
