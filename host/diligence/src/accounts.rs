//! Who may be billed, and what is entered into the ledger.

use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::{NotBillable, check_billable};
use parafa_platform::billing::Amount;
use parafa_store::{StoreError, Transaction};

/// Why a caller cannot be billed for something of this price now: in the order
/// of the specification, the lasting causes first. Test keys are never billed.
///
/// # Errors
/// When the store fails.
pub(crate) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    price: Amount,
) -> Result<Result<(), NotBillable>, StoreError> {
    if caller.mode == KeyMode::Test {
        return Ok(Ok(()));
    }
    check_billable(tx, caller.tenant, price).await
}
