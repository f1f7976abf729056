//! Retry times of events and letters.

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;

/// Pauses before the second and each further attempt.
const PAUSES: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];
/// Largest share of a pause that is added to it at random, so that deliveries that failed together
/// are not retried together.
const JITTER_PERCENT: i32 = 20;

/// Random share of the largest extension of a pause, in 255ths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jitter(u8);

impl Jitter {
    /// No extension if there are no random bytes.
    pub(crate) fn drawn() -> Self {
        Self(getrandom::u32().map_or(0, |bits| bits.to_be_bytes()[0]))
    }

    fn of(self, pause: SignedDuration) -> SignedDuration {
        let most = pause * JITTER_PERCENT / 100;
        most * i32::from(self.0) / i32::from(u8::MAX)
    }
}

/// Time of the next attempt after `made` attempts, the last one at `now`; `None` after the last
/// attempt.
pub(crate) fn next_attempt(made: usize, now: Timestamp, jitter: Jitter) -> Option<Timestamp> {
    let pause = *PAUSES.get(made.checked_sub(1)?)?;
    let pause = pause + jitter.of(pause);
    Some(shifted(now, pause))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn ten_attempts_are_made_and_no_more() {
        let pauses: Vec<i64> = (1..)
            .map_while(|made| next_attempt(made, NOW, Jitter(0)))
            .map(Timestamp::as_second)
            .collect();

        assert_eq!(
            pauses,
            [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
        );
    }

    #[test]
    fn chance_makes_a_pause_a_fifth_longer_at_most() {
        let longest = next_attempt(2, NOW, Jitter(u8::MAX)).expect("a third attempt");

        assert_eq!(longest.as_second(), 360);
    }
}
