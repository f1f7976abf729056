//! Billing of packages.

use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::check_billable;
use parafa_platform::billing::{self, Amount, UsageItem, Used};
use parafa_store::{StoreError, Transaction};

use crate::error::IdentificationError;
use crate::records::OrderRow;

/// Prices of a delivered package: the first one of a person in an entity, and
/// later ones, for the same workspace.
pub const PRICES: [Amount; 2] = [Amount::from_cents(2499), Amount::from_cents(1499)];

/// Refuses a caller who cannot be billed for one more package. Test keys are
/// never billed.
pub(crate) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
) -> Result<(), IdentificationError> {
    let checked = match caller.mode {
        KeyMode::Test => Ok(()),
        KeyMode::Live => check_billable(tx, caller.tenant, PRICES[0]).await?,
    };
    checked.map_err(|cause| IdentificationError::PaymentRequired(Box::new(cause)))
}

/// Makes concurrent funding decisions count the order that is stored in this
/// commit.
pub(crate) async fn reserve(tx: &mut Transaction<'_>, caller: &Caller) -> Result<(), StoreError> {
    match caller.mode {
        KeyMode::Test => Ok(()),
        KeyMode::Live => billing::reserve(tx, caller.tenant).await,
    }
}

/// Charges for an order in the commit that delivers it; returns the price.
pub(crate) async fn charge(
    tx: &mut Transaction<'_>,
    row: &OrderRow,
    is_reverification: bool,
) -> Result<Amount, StoreError> {
    let [first, again] = PRICES;
    let price = match row.mode {
        KeyMode::Test => return Ok(Amount::default()),
        KeyMode::Live if is_reverification => again,
        KeyMode::Live => first,
    };
    let used = Used {
        item: UsageItem::IdentificationPackage,
        reference: row.id.to_string(),
        amount: price,
        form: None,
    };
    billing::bill(tx, row.tenant, used).await?;
    Ok(price)
}
