//! A line before each receiver, so that a slow one delays nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// Deliveries under way to one receiver at the same time.
const AT_ONCE: u32 = 4;
/// Shortest time after which somebody in line comes again.
const SOONEST: Duration = Duration::from_millis(200);
/// Longest such time: a line that long is thought over again.
const LATEST: Duration = Duration::from_secs(3600);
/// Receivers that are remembered before those without a line are forgotten.
const REMEMBERED: usize = 10_000;

/// The lines before all receivers. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<HashMap<String, Line>>>);

struct Line {
    under_way: u32,
    /// What a delivery takes here, as the last ones did.
    usual: Duration,
    /// The last place given out.
    last_place: Timestamp,
}

/// One delivery's turn; the next may come when it is dropped.
pub(super) struct Turn {
    lines: Lines,
    receiver: String,
    since: Instant,
}

impl Lines {
    /// A turn at `receiver`, or the time to come again: the place in a line
    /// that moves as fast as the receiver answers.
    pub(super) fn enter(&self, receiver: &str, now: Timestamp) -> Result<Turn, Timestamp> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= REMEMBERED {
            lines.retain(|_, line| line.under_way > 0 || line.last_place > now);
        }
        let line = lines.entry(receiver.to_owned()).or_insert(Line {
            under_way: 0,
            usual: Duration::ZERO,
            last_place: now,
        });
        if line.under_way < AT_ONCE {
            line.under_way += 1;
            return Ok(Turn {
                lines: self.clone(),
                receiver: receiver.to_owned(),
                since: Instant::now(),
            });
        }
        let place = later(line.last_place, line.usual / AT_ONCE);
        line.last_place = place.clamp(later(now, SOONEST), later(now, LATEST));
        Err(line.last_place)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get_mut(&self.receiver) {
            line.under_way = line.under_way.saturating_sub(1);
            line.usual = (line.usual + self.since.elapsed()) / 2;
        }
    }
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.saturating_add(by).unwrap_or(Timestamp::MAX)
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

        assert_eq!(turns.len(), AT_ONCE as usize);
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

        let places: Vec<i64> = (0..3)
            .filter_map(|_| lines.enter("slow.example", NOW).err())
            .map(Timestamp::as_second)
            .collect();

        assert_eq!(places, [2, 4, 6]);
    }
}
