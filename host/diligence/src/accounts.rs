//! Who may be billed, and what is entered into the ledger.

use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::AgreementRow;
use parafa_platform::billing::{self, Amount};
use parafa_store::{StoreError, Transaction};

use crate::error::NotBillable;

/// Why a caller cannot be billed for something of this price now: in the order
/// of the specification, the lasting causes first. Test keys are never billed.
///
/// # Errors
/// When the store fails.
pub async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    price: Amount,
) -> Result<Result<(), NotBillable>, StoreError> {
    if caller.mode == KeyMode::Test {
        return Ok(Ok(()));
    }
    let agreement = tx.get::<AgreementRow>(&caller.tenant).await?;
    let is_linked =
        agreement.is_some_and(|agreed| agreed.terms && agreed.agreement && agreed.entity.is_some());
    if !is_linked {
        return Ok(Err(NotBillable::NoEntity));
    }
    let funded = billing::check_funding_of(tx, caller.tenant, price).await?;
    Ok(funded.map_err(NotBillable::Payment))
}
