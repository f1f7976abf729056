//! Who may be billed, and what is entered into the ledger.

use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::check_billable;
use parafa_platform::billing::{self, Amount, UsageItem};
use parafa_store::{StoreError, Transaction};

use crate::error::IdentificationError;
use crate::records::OrderRow;

/// What a delivered package costs: the first one of a person in an entity, and
/// those after it, of the same workspace.
pub const PRICES: [Amount; 2] = [Amount::from_cents(2499), Amount::from_cents(1499)];

/// Refuses whoever could not be billed for one more package. Test keys are never
/// billed.
pub(crate) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
) -> Result<(), IdentificationError> {
    let checked = match caller.mode {
        KeyMode::Test => Ok(()),
        KeyMode::Live => check_billable(tx, caller.tenant, most(KeyMode::Live)).await?,
    };
    checked.map_err(|cause| IdentificationError::PaymentRequired(Box::new(cause)))
}

/// The most that an order may cost, which its workspace's ceiling keeps free for
/// it until it has ended.
pub(crate) fn most(mode: KeyMode) -> Amount {
    let [first, _] = PRICES;
    match mode {
        KeyMode::Live => first,
        KeyMode::Test => Amount::default(),
    }
}

/// Keeps that free, in the commit that stores the order.
pub(crate) async fn reserve(tx: &mut Transaction<'_>, row: &OrderRow) -> Result<(), StoreError> {
    if row.reserved == Amount::default() {
        return Ok(());
    }
    billing::reserve(tx, row.tenant, row.reserved).await
}

/// Gives it back, in the commit that ends the order.
pub(crate) async fn release(
    tx: &mut Transaction<'_>,
    row: &mut OrderRow,
) -> Result<(), StoreError> {
    let reserved = std::mem::take(&mut row.reserved);
    if reserved == Amount::default() {
        return Ok(());
    }
    billing::release(tx, row.tenant, reserved).await
}

/// Charges for an order in the commit that delivers it; tells what it costs.
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
    let item = UsageItem::IdentificationPackage;
    billing::bill(tx, row.tenant, item, row.id, price).await?;
    Ok(price)
}
