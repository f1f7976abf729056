//! What rows come to together, without anybody counting them.
//!
//! A table says of each row what it adds to the sums of its owner. Whatever a transaction puts or
//! deletes moves these sums by the difference, once it is committed. A process that has the store
//! for itself keeps them in its memory, and adds up the rows that are there when it starts. Where
//! others work with the store too they are rows themselves, see [`ledger`].

pub(crate) mod ledger;

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::content::TableDeclaration;
use crate::error::StoreError;
use crate::store::Store;

/// Whose a sum is: an owner, and which of the owner's two parts.
pub type QuotaKey = (Uuid, bool);

/// What a row adds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Addend {
    /// To whose sums.
    pub of: QuotaKey,
    /// How much; what the amounts mean the tables agree upon.
    pub amounts: QuotaAmounts,
}

/// How much there is of each of two things.
pub type QuotaAmounts = [u64; 2];

/// Amounts that may be less than nothing: rows come and go.
type Differences = [i128; 2];

/// By how much a transaction moves sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    differences: HashMap<QuotaKey, Differences>,
    /// Dropped once the sums are moved.
    held: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Moved {
    /// A row takes another one's place, or none.
    pub(crate) fn replace(&mut self, old: Option<Addend>, new: Option<Addend>) {
        for (addend, sign) in [(old, -1), (new, 1)] {
            let Some(Addend { of, amounts }) = addend else {
                continue;
            };
            let differences = self.differences.entry(of).or_default();
            for (difference, amount) in differences.iter_mut().zip(amounts) {
                *difference += sign * i128::from(amount);
            }
        }
    }

    pub(crate) fn hold(&mut self, held: Arc<dyn Any + Send + Sync>) {
        self.held.push(held);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.differences().next().is_none()
    }

    /// The sums that are moved, and by how much.
    fn differences(&self) -> impl Iterator<Item = (QuotaKey, Differences)> {
        let differences = self.differences.iter();
        let moved = differences.filter(|(_, differences)| **differences != [0, 0]);
        moved.map(|(of, differences)| (*of, *differences))
    }
}

/// The sums of all owners.
#[derive(Debug, Default)]
pub(crate) struct Sums(Mutex<HashMap<QuotaKey, Differences>>);

impl Sums {
    pub(crate) fn apply(&self, moved: &Moved) {
        let mut sums = self.locked();
        for (of, differences) in &moved.differences {
            let sum = sums.entry(*of).or_default();
            for (sum, difference) in sum.iter_mut().zip(differences) {
                *sum += difference;
            }
            if *sum == [0, 0] {
                sums.remove(of);
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<QuotaKey, Differences>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
            return ledger::begin(self, tables).await;
        }
        ledger::end(self).await?;
        self.sums().apply(&self.counted(tables).await?);
        Ok(())
    }

    /// What the rows of these tables come to.
    async fn counted(&self, tables: &[TableDeclaration]) -> Result<Moved, StoreError> {
        let mut all = Moved::default();
        for table in tables {
            table.count(self, &mut all).await?;
        }
        Ok(all)
    }

    /// What all rows of an owner's part come to.
    ///
    /// # Errors
    /// When the engine fails, where hosts share the store.
    pub async fn sum(&self, of: &QuotaKey) -> Result<QuotaAmounts, StoreError> {
        let sum = match self.is_shared() {
            true => ledger::sum(self, of).await?,
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
            true => ledger::all(self).await?,
            false => self.sums().locked().clone(),
        };
        Ok(sums.into_iter().map(|(of, sum)| (of, shown(sum))).collect())
    }
}

fn shown(sum: Differences) -> QuotaAmounts {
    sum.map(|sum| u64::try_from(sum.max(0)).unwrap_or(u64::MAX))
}
