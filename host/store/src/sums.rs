//! What rows come to together, without anybody counting them.
//!
//! A table says of each row what it adds to the sums of its owner. Whatever a transaction puts or
//! deletes moves these sums by the difference, once it is committed. A process that has the store
//! for itself keeps them in its memory, and adds up the rows that are there when it starts. Where
//! others work with the store too they are rows themselves, see [`ledger`].

mod amounts;
mod counting;
pub(crate) mod ledger;

use self::amounts::Differences;
pub use self::amounts::{Addend, QuotaAmounts, QuotaKey};
pub(crate) use self::amounts::{Moved, Sums};
use crate::error::StoreError;
use crate::store::Store;
use crate::tables::TableDeclaration;

impl Store {
    /// Adds the rows of these tables up, all that have addends. Once, before anything else is done
    /// with the store: what is committed from then on counts by itself. Where hosts share the
    /// store the first of them does it for all, and the others wait for that. A row that cannot be
    /// read adds nothing.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn add_up(&self, tables: &[TableDeclaration]) -> Result<(), StoreError> {
        if self.is_shared() {
            return counting::begin(self, tables).await;
        }
        counting::end(self).await?;
        self.sums().apply(&counting::counted(self, tables).await?);
        Ok(())
    }

    /// What all rows of an owner's part come to.
    ///
    /// # Errors
    /// When the engine fails, where hosts share the store.
    pub async fn sum(&self, of: &QuotaKey) -> Result<QuotaAmounts, StoreError> {
        let sum = match self.is_shared() {
            true => ledger::sum(self.engine(), of).await?,
            false => self.sums().locked().get(of).copied().unwrap_or_default(),
        };
        Ok(shown(sum))
    }

    /// The sums of all owners that have any rows.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub async fn all_sums(&self) -> Result<Vec<(QuotaKey, QuotaAmounts)>, StoreError> {
        let sums = match self.is_shared() {
            true => ledger::all(self.engine()).await?,
            false => self.sums().locked().clone(),
        };
        Ok(sums.into_iter().map(|(of, sum)| (of, shown(sum))).collect())
    }
}

fn shown(sum: Differences) -> QuotaAmounts {
    sum.map(|sum| u64::try_from(sum.max(0)).unwrap_or(u64::MAX))
}
