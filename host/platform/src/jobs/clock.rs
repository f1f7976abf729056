//! A clock that was set back: whatever waits for so long, and not for a certain
//! time, waits for no longer than it was to.
//!
//! Deadlines, reminders and the ends of what is kept come at their times, which
//! records name.

use jiff::{SignedDuration, Timestamp};

/// Notices that the time has gone back while a process runs.
pub(super) struct LastSeen(Timestamp);

impl LastSeen {
    /// Nothing has been seen yet.
    pub(super) const fn nothing() -> Self {
        Self(Timestamp::MIN)
    }

    /// By how much the clock was set back since this was asked last.
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
