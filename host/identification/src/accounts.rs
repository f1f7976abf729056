use async_trait::async_trait;
use parafa_platform::PlatformError;
use parafa_platform::accounts::Caller;
use parafa_platform::agreement::{NotBillable, check_billable};
use parafa_platform::billing::{self, Amount, UsageItem};
use parafa_store::Transaction;
use uuid::Uuid;

use crate::ports::Accounts;
use crate::verify::PRICES;

/// The accounts that the platform keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkspaceAccounts;

#[async_trait]
impl Accounts for WorkspaceAccounts {
    async fn check(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
    ) -> Result<Result<(), NotBillable>, PlatformError> {
        let [most, _] = PRICES;
        Ok(check_billable(tx, caller.tenant, most).await?)
    }

    async fn charge(
        &self,
        tx: &mut Transaction<'_>,
        tenant: Uuid,
        order: Uuid,
        amount: Amount,
    ) -> Result<(), PlatformError> {
        let item = UsageItem::IdentificationPackage;
        Ok(billing::bill(tx, tenant, item, order, amount).await?)
    }
}
