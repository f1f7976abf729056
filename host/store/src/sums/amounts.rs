//! Addends of rows, the moves of transactions, and the sums themselves.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

/// Key of a sum: an owner, and one of the owner's two parts.
pub type QuotaKey = (Uuid, bool);

/// Contribution of a row to sums.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Addend {
    /// The sum.
    pub of: QuotaKey,
    /// The amounts, on whose meaning the tables agree.
    pub amounts: QuotaAmounts,
}

/// Amounts of two things.
pub type QuotaAmounts = [u64; 2];

/// Signed amounts: rows are added and removed.
pub(super) type Differences = [i128; 2];

/// Changes of sums by a transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    differences: HashMap<QuotaKey, Differences>,
    /// Guards dropped once the sums are moved.
    held: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Moved {
    /// Replaces, adds or removes a row's addend.
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

    /// Returns the moved sums with their differences.
    pub(super) fn differences(&self) -> impl Iterator<Item = (QuotaKey, Differences)> {
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

    pub(super) fn locked(&self) -> MutexGuard<'_, HashMap<QuotaKey, Differences>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
