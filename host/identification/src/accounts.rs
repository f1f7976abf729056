use async_trait::async_trait;
use parafa_platform::PlatformError;
use parafa_platform::accounts::Caller;
use parafa_platform::agreement::AgreementRow;
use parafa_platform::billing::{self, Amount, UsageItem};
use parafa_store::Transaction;
use uuid::Uuid;

use crate::error::NotBillable;
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
        let agreement = tx.get::<AgreementRow>(&caller.tenant).await?;
        let agreed = agreement
            .is_some_and(|agreed| agreed.terms && agreed.agreement && agreed.entity.is_some());
        if !agreed {
            return Ok(Err(NotBillable::NoEntity));
        }
        let [most, _] = PRICES;
        let funding = billing::check_funding_of(tx, caller.tenant, most).await?;
        Ok(funding.map_err(NotBillable::Payment))
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
