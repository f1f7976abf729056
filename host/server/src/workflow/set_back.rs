//! A clock that was set back: whatever waits for so long, and not for a certain
//! time, waits for no longer than it was to.
//!
//! Deadlines, reminders and the ends of what is kept come at their times, which
//! records name.

use jiff::{SignedDuration, Timestamp};
use parafa_store::StoreError;

use super::lanes::{BUDGETS, Budget, TIMERS};
use super::lease::LEASE;
use crate::app::App;

/// Notices that the time has gone back while a process runs.
pub(crate) struct LastSeen(Timestamp);

impl LastSeen {
    /// Nothing has been seen yet.
    pub(crate) const fn nothing() -> Self {
        Self(Timestamp::MIN)
    }

    /// By how much the clock was set back since this was asked last.
    pub(crate) fn set_back_by(&mut self, now: Timestamp) -> Option<SignedDuration> {
        let by = self.0.duration_since(now);
        self.0 = now;
        by.is_positive().then_some(by)
    }
}

impl Budget {
    /// Whether its jobs wait for so long, and not for a certain time.
    fn waits_for_so_long(&self) -> bool {
        self.lane != TIMERS
    }

    /// The longest lease of a claim that whoever is dead may have left. Where
    /// jobs wait for a certain time there may be very many of them, and those
    /// that stand further out are not looked at.
    pub(crate) fn longest_lease(&self) -> SignedDuration {
        if self.waits_for_so_long() {
            SignedDuration::MAX
        } else {
            LEASE
        }
    }
}

impl App {
    /// Brings along what was to wait for so long when the clock showed a later
    /// time than now. Where it did not, that changes nothing.
    pub(crate) async fn follow_clock_back(&self) -> Result<(), StoreError> {
        self.webhooks.follow_clock_back();
        let mut moved = 0;
        for budget in BUDGETS.iter().filter(|budget| budget.waits_for_so_long()) {
            moved += self.store.follow_clock_back(budget.lane).await?;
        }
        if moved > 0 {
            tracing::warn!(moved, "jobs waited for a clock that was set back");
        }
        self.schedule_sweep().await
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
