//! What rows add, by how much transactions move sums, and the sums themselves.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

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
pub(super) type Differences = [i128; 2];

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
