//! Retention of the log of calls.

use jiff::SignedDuration;
use parafa_platform::accounts::TenantRow;
use parafa_platform::register_calls::CallRow;
use parafa_store::clock::shifted;
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, Store, StoreError, Table};
use uuid::Uuid;

/// The log of calls, whose rows are deleted after a while.
#[derive(Clone)]
pub struct CallLog {
    /// The rows.
    pub store: Store,
    /// Retention period.
    pub kept: SignedDuration,
}

impl CallLog {
    /// Deletes rows at the end of their retention. The ledger, which contains
    /// neither entities nor purposes, is unchanged.
    ///
    /// # Errors
    /// When the store fails; rows deleted before are gone.
    pub async fn forget(&self) -> Result<(), StoreError> {
        let mut page = Page::oldest(MAX_PAGE_ROWS);
        loop {
            let shown = &page;
            let tenants: Result<_, StoreError> = self
                .store
                .read(|tx| {
                    Box::pin(async move { tx.page::<TenantRow>(shown, Guard::none()).await })
                })
                .await;
            let tenants = tenants?;
            for tenant in &tenants.rows {
                while self.forget_some_of(tenant.id).await? {}
            }
            match tenants.rows.last().filter(|_| tenants.more) {
                Some(last) => page = page.after(last.id),
                None => return Ok(()),
            }
        }
    }

    /// Deletes a page of a workspace's rows, which are in order of age. Returns
    /// whether there may be more to delete.
    async fn forget_some_of(&self, tenant: Uuid) -> Result<bool, StoreError> {
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let until = shifted(tx.now(), -self.kept);
                    let oldest = tx
                        .children::<CallRow>(&(tenant,), MAX_PAGE_ROWS, Guard::none())
                        .await?;
                    let over: Vec<_> = oldest.rows.iter().filter(|row| row.at <= until).collect();
                    for row in &over {
                        tx.delete::<CallRow>(&row.key()).await?;
                    }
                    Ok(oldest.more && over.len() == oldest.rows.len())
                })
            })
            .await
    }
}
