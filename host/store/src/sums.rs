//! What rows come to together, without anybody counting them.
//!
//! A table says of each row what it adds to the sums of its owner. Whatever a transaction puts or
//! deletes moves these sums by the difference, once it is committed. They are kept in the memory
//! of the process that works with the store, which adds up the rows that are there when it starts.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::Table;

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
        let mut differences = self.differences.values();
        differences.all(|differences| *differences == [0, 0])
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
    /// Adds the rows of a table to the sums. Once for each table that has addends, before anything
    /// else is done with the store: what is committed from then on counts by itself. A row that
    /// cannot be read adds nothing.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn add_up<T: Table>(&self) -> Result<(), StoreError> {
        let mut all = Moved::default();
        self.each_row::<T>(|stored| {
            if let Ok(Some(row)) = stored.of_table::<T>() {
                all.replace(None, row.addend());
            }
        })
        .await?;
        self.sums().apply(&all);
        Ok(())
    }

    /// What all rows of an owner's part come to that this process has found or made.
    #[must_use]
    pub fn sum(&self, of: &QuotaKey) -> QuotaAmounts {
        self.sums().locked().get(of).copied().map_or([0, 0], shown)
    }

    /// The sums of all owners that have any rows.
    #[must_use]
    pub fn all_sums(&self) -> Vec<(QuotaKey, QuotaAmounts)> {
        let sums = self.sums().locked();
        sums.iter().map(|(of, sum)| (*of, shown(*sum))).collect()
    }
}

fn shown(sum: Differences) -> QuotaAmounts {
    sum.map(|sum| u64::try_from(sum.max(0)).unwrap_or(u64::MAX))
}
