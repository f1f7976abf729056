//! Handling of a clock that was set back: jobs that wait for a duration, not
//! for a fixed time, do not wait longer.
//!
//! Deadlines, reminders and expiries have fixed times, given by records.

use jiff::{SignedDuration, Timestamp};

/// Detects a clock that is set back while a process runs.
pub(super) struct LastSeen(Timestamp);

impl LastSeen {
    /// Creates one that has not seen a time.
    pub(super) const fn nothing() -> Self {
        Self(Timestamp::MIN)
    }

    /// Returns how far the clock was set back since the last call.
    pub(super) fn set_back_by(&mut self, now: Timestamp) -> Option<SignedDuration> {
        let by = self.0.duration_since(now);
        self.0 = now;
        by.is_positive().then_some(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_set_back_only_when_it_shows_an_earlier_time_than_before() {
        let mut seen = LastSeen::nothing();
        let at = |second| Timestamp::constant(second, 0);

        assert_eq!(seen.set_back_by(at(100)), None);
        assert_eq!(seen.set_back_by(at(100)), None);
        assert_eq!(seen.set_back_by(at(130)), None);
        let half = SignedDuration::from_secs(30);
        assert_eq!(seen.set_back_by(at(100)), Some(half));
        assert_eq!(seen.set_back_by(at(101)), None);
    }
}
