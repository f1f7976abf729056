//! Sums over rows, maintained without counting.
//!
//! A table says what each of its rows adds to the sums of its owner. A transaction's puts and
//! deletes move these sums by the difference, once it is committed. A process with a store of its
//! own keeps the sums in memory, and adds up the existing rows when it starts. In a shared store
//! they are rows themselves, see [`ledger`].

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
    /// Adds up the rows of these tables that have addends. Call it once, before anything else is
    /// done with the store; later commits move the sums. In a shared store the first host does
    /// this for all, and the others wait. An unreadable row adds nothing.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn add_up(&self, tables: &[TableDeclaration]) -> Result<(), StoreError> {
        if self.is_shared() {
            return counting::begin(self, tables).await;
        }
        counting::end(self).await?;
        self.sums().apply(&counting::counted(self, tables).await?);
        Ok(())
    }

    /// Returns the sum of all rows of an owner's part.
    ///
    /// # Errors
    /// An engine failure, in a shared store.
    pub async fn sum(&self, of: &QuotaKey) -> Result<QuotaAmounts, StoreError> {
        let sum = match self.is_shared() {
            true => ledger::sum(self.engine(), of).await?,
            false => self.sums().locked().get(of).copied().unwrap_or_default(),
        };
        Ok(shown(sum))
    }

    /// Returns the sums of all owners with rows.
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
