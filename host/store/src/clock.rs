//! Clocks: time as an argument.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// A source of the current instant.
pub trait Clock: Send + Sync {
    /// Returns the current instant.
    fn now(&self) -> Timestamp;
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that moves only when set or advanced. Clones share the instant.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<Timestamp>>);

impl ManualClock {
    /// Creates a clock that stands at `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(start)))
    }

    /// Moves the clock by `step`; it stops at the end of representable time.
    pub fn advance(&self, step: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = shifted(*now, step);
    }

    /// Sets the clock.
    pub fn set(&self, to: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Another clock, shifted by an offset that can be changed while it runs. Clones share the offset.
#[derive(Clone)]
pub struct OffsetClock {
    base: Arc<dyn Clock>,
    offset: Arc<Mutex<SignedDuration>>,
}

impl OffsetClock {
    /// Creates a clock that runs with `base` and shows the same instant until it is shifted.
    #[must_use]
    pub fn new(base: Arc<dyn Clock>) -> Self {
        Self {
            base,
            offset: Arc::new(Mutex::new(SignedDuration::ZERO)),
        }
    }

    /// Advances the clock by `step`, on top of earlier shifts.
    pub fn advance(&self, step: SignedDuration) {
        let mut offset = self.offset.lock().unwrap_or_else(PoisonError::into_inner);
        *offset = offset.saturating_add(step);
    }

    /// Returns the offset from the base clock.
    #[must_use]
    pub fn offset(&self) -> SignedDuration {
        *self.offset.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for OffsetClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffsetClock")
            .field("offset", &self.offset())
            .finish_non_exhaustive()
    }
}

impl Clock for OffsetClock {
    fn now(&self) -> Timestamp {
        shifted(self.base.now(), self.offset())
    }
}

/// Returns `at` moved by `by`, held at the ends of representable time.
#[must_use]
pub fn shifted(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(if by.is_negative() {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_clock_runs_with_its_base() {
        let base = ManualClock::new(Timestamp::UNIX_EPOCH);
        let clock = OffsetClock::new(Arc::new(base.clone()));
        clock.advance(SignedDuration::from_hours(24));
        base.advance(SignedDuration::from_secs(5));

        assert_eq!(clock.now().as_second(), 24 * 3600 + 5);
    }

    #[test]
    fn a_clock_stops_at_the_end_of_time() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        clock.advance(SignedDuration::MAX);

        assert_eq!(clock.now(), Timestamp::MAX);
    }
}
