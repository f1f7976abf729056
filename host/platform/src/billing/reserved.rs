//! What is under way, and is billed once it ends well.

use parafa_store::{Earmark, EarmarkAmounts, Guard, StoreError, Transaction};
use uuid::Uuid;

use super::{Amount, BillingRow, PriceLadder};

/// What something that is under way will cost. The row of whatever it is
/// earmarks it for as long as it may still be billed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reserved {
    /// Signatures, which are priced by their number in the month.
    pub signatures: u64,
    /// Whatever has a price of its own.
    pub amount: Amount,
}

impl Reserved {
    /// This number of signatures.
    pub fn signatures(signatures: u64) -> Self {
        Self {
            signatures,
            ..Self::default()
        }
    }

    /// Something of this price.
    pub fn amount(amount: Amount) -> Self {
        Self {
            amount,
            ..Self::default()
        }
    }

    /// What the row of a workspace earmarks for it; nothing of what costs
    /// nothing.
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

    /// What it costs after this number of signatures in the month.
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

/// All that a workspace has under way.
pub(super) async fn under_way(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
) -> Result<Reserved, StoreError> {
    Ok(tx.earmarked(&tenant, guard(tenant)).await?.into())
}

/// Has whoever decides at the same time by what a workspace has under way decide
/// again. Belongs into the transaction that stores more of it, which has checked
/// before whether it may.
///
/// # Errors
/// When the store fails.
pub async fn reserve(tx: &mut Transaction<'_>, tenant: Uuid) -> Result<(), StoreError> {
    let billing = tx.get::<BillingRow>(&tenant).await?;
    // Without a ceiling nobody decides by it, and those who store at once do not
    // have to conflict.
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
