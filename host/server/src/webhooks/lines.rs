//! A line before each receiver, so that a slow one delays nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;

use super::send::LIMITS;

/// Deliveries under way to one receiver at the same time.
const AT_ONCE: u8 = 4;
/// Shortest time after which somebody in line comes again.
const SOONEST: Duration = Duration::from_millis(200);
/// Longest such time: a line that long is thought over again.
const LATEST: Duration = Duration::from_secs(3600);
/// What a delivery takes at most.
const LONGEST: Duration = LIMITS.timeout;
/// Receivers that are remembered before those without a line are forgotten.
const REMEMBERED: usize = 10_000;

/// The lines before all receivers. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<HashMap<String, Line>>>);

#[derive(Default)]
struct Line {
    /// When the deliveries that are under way began.
    under_way: Vec<Timestamp>,
    /// What a delivery takes here, as the last ones did.
    usual: Duration,
    /// The last place given out.
    last_place: Timestamp,
}

impl Line {
    /// What a delivery takes here, as far as can be told at `now`: at least as
    /// long as the oldest that is under way has taken by then.
    fn takes(&self, now: Timestamp) -> Duration {
        let oldest = self.under_way.iter().min();
        let so_far = oldest.map(|begun| now.duration_since(*begun));
        let so_far = so_far.and_then(|time| Duration::try_from(time).ok());
        self.usual.max(so_far.unwrap_or_default().min(LONGEST))
    }
}

/// One delivery's turn; the next may come when it is dropped.
pub(super) struct Turn {
    lines: Lines,
    receiver: String,
    begun: Timestamp,
    since: Instant,
}

impl Lines {
    /// A turn at `receiver`, or the time to come again: the place in a line
    /// that moves as fast as the receiver answers.
    pub(super) fn enter(&self, receiver: &str, now: Timestamp) -> Result<Turn, Timestamp> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= REMEMBERED {
            lines.retain(|_, line| !line.under_way.is_empty() || line.last_place > now);
        }
        let line = lines.entry(receiver.to_owned()).or_default();
        if line.under_way.len() < usize::from(AT_ONCE) {
            line.under_way.push(now);
            return Ok(Turn {
                lines: self.clone(),
                receiver: receiver.to_owned(),
                begun: now,
                since: Instant::now(),
            });
        }
        let place = later(line.last_place, line.takes(now) / u32::from(AT_ONCE));
        line.last_place = place.clamp(later(now, SOONEST), later(now, LATEST));
        Err(line.last_place)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get_mut(&self.receiver) {
            if let Some(mine) = line.under_way.iter().position(|begun| *begun == self.begun) {
                line.under_way.swap_remove(mine);
            }
            line.usual = (line.usual + self.since.elapsed()) / 2;
        }
    }
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    shifted(time, by)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn fill(lines: &Lines, receiver: &str) -> Vec<Turn> {
        (0..AT_ONCE)
            .filter_map(|_| lines.enter(receiver, NOW).ok())
            .collect()
    }

    #[test]
    fn a_receiver_that_is_busy_has_others_come_again_later() {
        let lines = Lines::default();
        let turns = fill(&lines, "slow.example");

        assert_eq!(turns.len(), usize::from(AT_ONCE));
        let again = lines.enter("slow.example", NOW).err();
        assert!(again.is_some_and(|again| again > NOW));
    }

    #[test]
    fn another_receiver_has_a_line_of_its_own() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");

        assert!(lines.enter("other.example", NOW).is_ok());
    }

    #[test]
    fn a_turn_that_ends_lets_the_next_one_in() {
        let lines = Lines::default();
        drop(fill(&lines, "slow.example"));

        assert!(lines.enter("slow.example", NOW).is_ok());
    }

    #[test]
    fn the_line_before_a_slow_receiver_spreads_over_the_time_that_it_takes() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");
        lines
            .0
            .lock()
            .expect("no panic")
            .get_mut("slow.example")
            .expect("a line")
            .usual = Duration::from_secs(8);

        assert_eq!(places(&lines, NOW), [2, 4, 6]);
    }

    #[test]
    fn the_line_before_a_receiver_that_says_nothing_spreads_over_the_time_that_it_has_taken() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");

        let then = later(NOW, Duration::from_secs(12));

        assert_eq!(places(&lines, then), [12, 15, 18]);
    }

    #[test]
    fn a_clock_that_leaps_is_no_time_that_a_receiver_takes() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");

        let then = later(NOW, Duration::from_secs(1_000_000));

        let [first, second, _] = places(&lines, then)[..] else {
            panic!("three places")
        };
        assert!(second - first < LONGEST.as_secs().cast_signed());
    }

    /// The next three places, in seconds.
    fn places(lines: &Lines, now: Timestamp) -> Vec<i64> {
        (0..3)
            .filter_map(|_| lines.enter("slow.example", now).err())
            .map(Timestamp::as_second)
            .collect()
    }
}
