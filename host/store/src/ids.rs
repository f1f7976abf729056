//! Ids that sort by the order of their creation.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use uuid::{Builder, Uuid};

use crate::error::StoreError;

/// Largest value of the counter in `rand_a`.
const MAX_COUNTER: u16 = 0x0fff;

/// Source of UUIDv7s that grow, also within a millisecond and when the clock is set back.
/// `rand_a` is a counter (RFC 9562, 6.2, method 1), and a full one runs into the next
/// millisecond. To grow across restarts too, it continues after the store's greatest id.
#[derive(Default)]
pub(crate) struct IdSource(Mutex<Last>);

#[derive(Clone, Copy, Default, Eq, Ord, PartialEq, PartialOrd)]
struct Last {
    millis: u64,
    counter: u16,
}

impl IdSource {
    pub(crate) fn new_id(&self, at: Timestamp) -> Result<Uuid, StoreError> {
        let mut random = [0; 10];
        getrandom::fill(&mut random).map_err(|_| StoreError::Random)?;
        let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
        let next = {
            let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *last = last.next(millis);
            *last
        };
        let [high, low, ..] = &mut random;
        [*high, *low] = next.counter.to_be_bytes();
        Ok(Builder::from_unix_timestamp_millis(next.millis, &random).into_uuid())
    }

    /// Makes all further ids greater than this one.
    pub(crate) fn go_on_after(&self, id: Uuid) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Last::of(id).max(*last);
    }
}

impl Last {
    fn of(id: Uuid) -> Self {
        let (high, low, version_and_counter, _) = id.as_fields();
        Self {
            millis: (u64::from(high) << 16) | u64::from(low),
            counter: version_and_counter & MAX_COUNTER,
        }
    }

    fn next(self, millis: u64) -> Self {
        if millis > self.millis {
            Self { millis, counter: 0 }
        } else if self.counter < MAX_COUNTER {
            Self {
                counter: self.counter + 1,
                ..self
            }
        } else {
            Self {
                millis: self.millis + 1,
                counter: 0,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::constant(1_772_366_400, 0);

    #[test]
    fn ids_grow_within_a_millisecond_and_when_the_clock_is_set_back() {
        let ids = IdSource::default();
        let earlier = Timestamp::constant(1_772_366_399, 0);
        let made = [NOON, NOON, NOON, earlier, NOON].map(|at| ids.new_id(at).expect("an id"));

        assert!(made.is_sorted_by(|a, b| a < b));
        assert_eq!(made[0].get_version_num(), 7);
    }

    #[test]
    fn more_ids_than_a_millisecond_holds_still_grow() {
        let ids = IdSource::default();
        let made: Vec<Uuid> = (0..=2 * MAX_COUNTER)
            .map(|_| ids.new_id(NOON).expect("an id"))
            .collect();

        assert!(made.is_sorted_by(|a, b| a < b));
    }
}
