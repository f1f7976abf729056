//! When a provider is asked again.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;

/// How long one poll waits for the signer.
pub const POLL: Duration = Duration::from_secs(10);
/// A poll that ends sooner was not held: the provider has answered at once.
const HELD: Duration = Duration::from_secs(1);
/// Pause after a poll that was not held.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);
/// Pauses after polls that went wrong one after the other, in seconds. A
/// provider that restarts within a minute loses nobody who has the phone in
/// hand.
const PAUSES: [i64; 6] = [1, 2, 4, 8, 16, 30];

/// Tries that count as gone wrong once the provider has answered: so many that
/// the next one is followed by the longest pause.
const MOST_TRIES: u32 = 5;

/// How long to wait after a poll that went wrong, if it was not one too many.
/// `tries` others went wrong right before it.
#[must_use]
pub fn pause(tries: u32) -> Option<SignedDuration> {
    let pause = usize::try_from(tries)
        .ok()
        .and_then(|tries| PAUSES.get(tries));
    pause.copied().map(SignedDuration::from_secs)
}

/// A poll that told that the signer has not acted yet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Poll {
    /// The provider has waited for the signer.
    Held,
    /// It has answered at once.
    AtOnce,
}

impl Poll {
    /// The one that was begun then and has ended now.
    #[must_use]
    pub fn since(asked: Instant) -> Self {
        if asked.elapsed() < HELD {
            Self::AtOnce
        } else {
            Self::Held
        }
    }

    /// How long to wait before the next one.
    #[must_use]
    pub fn pause(self) -> SignedDuration {
        match self {
            Self::Held => SignedDuration::ZERO,
            Self::AtOnce => PAUSE,
        }
    }

    /// How many tries count as gone wrong by then, and when the next poll is
    /// due. A provider that answers at once and refuses many polls in between is
    /// asked ever less often, and never given up: it does answer.
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
