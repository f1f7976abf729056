//! A line before each receiver, and one of each workspace, so that a slow
//! receiver delays nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use uuid::Uuid;

use super::send::LIMITS;

/// Shortest time after which somebody in line comes again.
const SOONEST: Duration = Duration::from_millis(200);
/// Longest such time: a line that long is thought over again.
const LATEST: Duration = Duration::from_secs(3600);
/// What a delivery takes at most.
const LONGEST: Duration = LIMITS.timeout;
/// Lines that are remembered before those in which nobody is are forgotten.
const REMEMBERED: usize = 10_000;

/// What deliveries have in common that stand in one line.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Shared {
    /// The host that they go to, whatever the port.
    Receiver(String),
    /// Whose they are: receivers may have any number of names.
    Workspace(Uuid),
}

impl Shared {
    /// How many of them are under way at the same time: a small part of all
    /// that a host server makes.
    fn at_once(&self) -> u8 {
        match self {
            Self::Receiver(_) => 4,
            Self::Workspace(_) => 16,
        }
    }
}

/// All lines. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<HashMap<Shared, Line>>>);

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

    /// The next place behind `at_once` deliveries that are under way.
    fn place(&mut self, at_once: u8, now: Timestamp) -> Timestamp {
        let place = later(self.last_place, self.takes(now) / u32::from(at_once));
        self.last_place = place.clamp(later(now, SOONEST), later(now, LATEST));
        self.last_place
    }
}

/// One delivery's turn; the next may come when it is dropped.
pub(super) struct Turn {
    lines: Lines,
    shared: [Shared; 2],
    begun: Timestamp,
    since: Instant,
}

impl Lines {
    /// A turn at `receiver`, a host, for `workspace`, or the time to come
    /// again: the place in a line that moves as fast as deliveries end.
    pub(super) fn enter(
        &self,
        receiver: &str,
        workspace: Uuid,
        now: Timestamp,
    ) -> Result<Turn, Timestamp> {
        let shared = [
            Shared::Receiver(receiver.to_ascii_lowercase()),
            Shared::Workspace(workspace),
        ];
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= REMEMBERED {
            lines.retain(|_, line| !line.under_way.is_empty() || line.last_place > now);
        }
        for shared in &shared {
            let at_once = shared.at_once();
            if let Some(line) = lines.get_mut(shared)
                && line.under_way.len() >= usize::from(at_once)
            {
                return Err(line.place(at_once, now));
            }
        }
        for shared in &shared {
            let line = lines.entry(shared.clone()).or_default();
            line.under_way.push(now);
        }
        Ok(Turn {
            lines: self.clone(),
            shared,
            begun: now,
            since: Instant::now(),
        })
    }
}

impl Lines {
    /// Forgets which places were given out: the clock was set back, and they
    /// may be far ahead.
    pub(super) fn forget_places(&self) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.values_mut() {
            line.last_place = Timestamp::default();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        for shared in &self.shared {
            if let Some(line) = lines.get_mut(shared) {
                if let Some(mine) = line.under_way.iter().position(|begun| *begun == self.begun) {
                    line.under_way.swap_remove(mine);
                }
                line.usual = (line.usual + self.since.elapsed()) / 2;
            }
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
    const OURS: Uuid = Uuid::from_u128(1);
    const THEIRS: Uuid = Uuid::from_u128(2);

    /// As many turns as there are.
    fn fill(lines: &Lines, receiver: &str) -> Vec<Turn> {
        std::iter::from_fn(|| lines.enter(receiver, OURS, NOW).ok()).collect()
    }

    #[test]
    fn a_receiver_that_is_busy_has_others_come_again_later() {
        let lines = Lines::default();
        let turns = fill(&lines, "slow.example");

        assert_eq!(turns.len(), 4);
        let again = lines.enter("Slow.Example", THEIRS, NOW).err();
        assert!(again.is_some_and(|again| again > NOW));
    }

    #[test]
    fn another_receiver_has_a_line_of_its_own() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");

        assert!(lines.enter("other.example", OURS, NOW).is_ok());
    }

    #[test]
    fn a_workspace_of_which_many_receivers_are_busy_waits_and_no_other_does() {
        let lines = Lines::default();
        let turns: Vec<Turn> = (0..100)
            .flat_map(|number| fill(&lines, &format!("slow-{number}.example")))
            .collect();

        assert_eq!(turns.len(), 16);
        let again = lines.enter("other.example", OURS, NOW).err();
        assert!(again.is_some_and(|again| again > NOW));
        assert!(lines.enter("other.example", THEIRS, NOW).is_ok());
    }

    #[test]
    fn a_turn_that_ends_lets_the_next_one_in() {
        let lines = Lines::default();
        for receiver in ["a.example", "b.example", "c.example", "d.example"] {
            drop(fill(&lines, receiver));
            assert!(lines.enter(receiver, OURS, NOW).is_ok());
        }
        let line = |shared| lines.0.lock().expect("no panic")[&shared].under_way.len();
        assert_eq!(line(Shared::Receiver("a.example".to_owned())), 0);
        assert_eq!(line(Shared::Workspace(OURS)), 0);
    }

    #[test]
    fn the_line_before_a_slow_receiver_spreads_over_the_time_that_it_takes() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");
        lines
            .0
            .lock()
            .expect("no panic")
            .get_mut(&Shared::Receiver("slow.example".to_owned()))
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

    #[test]
    fn a_line_follows_a_clock_that_is_set_back() {
        let lines = Lines::default();
        let _turns = fill(&lines, "slow.example");
        let ahead = later(NOW, Duration::from_secs(1_000_000));
        assert!(lines.enter("slow.example", OURS, ahead).is_err());

        lines.forget_places();

        let again = lines.enter("slow.example", OURS, NOW).err();
        assert!(again.is_some_and(|again| again <= later(NOW, SOONEST)));
    }

    /// The next three places, in seconds.
    fn places(lines: &Lines, now: Timestamp) -> Vec<i64> {
        (0..3)
            .filter_map(|_| lines.enter("slow.example", OURS, now).err())
            .map(Timestamp::as_second)
            .collect()
    }
}
