//! Schedule of polls of a provider.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;

/// Duration of one poll, in which the provider waits for the signer.
pub const POLL: Duration = Duration::from_secs(10);
/// Least duration of a held poll; a shorter one was answered at once.
const HELD: Duration = Duration::from_secs(1);
/// Pause after a poll that was not held.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);
/// Pauses after consecutive failed polls, in seconds. A provider that restarts
/// within a minute loses no one who has the phone in hand.
const PAUSES: [i64; 6] = [1, 2, 4, 8, 16, 30];

/// Most failed attempts that still count once the provider has answered; the
/// next failure is followed by the longest pause.
const MOST_TRIES: u32 = 5;

/// Returns the pause after a failed poll, unless it was one too many. `tries` is
/// the number of consecutive failures before it.
#[must_use]
pub fn pause(tries: u32) -> Option<SignedDuration> {
    let pause = usize::try_from(tries)
        .ok()
        .and_then(|tries| PAUSES.get(tries));
    pause.copied().map(SignedDuration::from_secs)
}

/// A poll with the answer that the signer has not acted yet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Poll {
    /// The provider waited for the signer.
    Held,
    /// The provider answered at once.
    AtOnce,
}

impl Poll {
    /// Classifies a poll that began then and ended now.
    #[must_use]
    pub fn since(asked: Instant) -> Self {
        if asked.elapsed() < HELD {
            Self::AtOnce
        } else {
            Self::Held
        }
    }

    /// Returns the pause before the next one.
    #[must_use]
    pub fn pause(self) -> SignedDuration {
        match self {
            Self::Held => SignedDuration::ZERO,
            Self::AtOnce => PAUSE,
        }
    }

    /// Returns the number of failed attempts that still count, and when the next
    /// poll is due. A provider that answers at once and refuses many polls in
    /// between is polled ever less often. It is never given up, because it does
    /// answer.
    #[must_use]
    pub fn next(self, tries: u32, now: Timestamp) -> (u32, Timestamp) {
        match self {
            Self::Held => (0, now),
            Self::AtOnce => (tries.min(MOST_TRIES), shifted(now, PAUSE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn a_poll_that_was_held_is_repeated_at_once_and_one_that_was_not_a_second_later() {
        let (tries, due) = Poll::Held.next(4, NOW);
        assert_eq!((tries, due), (0, NOW));

        let (tries, due) = Poll::AtOnce.next(4, NOW);
        assert_eq!((tries, due.as_second()), (4, 1));
        assert_eq!(Poll::since(Instant::now()), Poll::AtOnce);
    }

    #[test]
    fn a_provider_that_refuses_every_other_poll_is_asked_less_often_and_not_given_up() {
        let mut tries = 0;
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.push(pause(tries).expect("not given up").as_secs());
            (tries, _) = Poll::AtOnce.next(tries + 1, NOW);
        }

        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(
            pause(tries + 1),
            None,
            "two refusals one after the other then"
        );
    }
}
