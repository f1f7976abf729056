//! Who waits for a signing to change is told, within this process at once.

use std::collections::HashMap;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::time::Instant;
use uuid::Uuid;

/// How many changes may be missed before a listener looks for itself.
const BACKLOG: usize = 256;

/// Announces which signing changed.
#[derive(Clone, Debug)]
pub(crate) struct Changes(broadcast::Sender<Uuid>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::Sender::new(BACKLOG))
    }
}

impl Changes {
    /// Tells everybody who listens.
    pub(crate) fn announce(&self, signing: Uuid) {
        // An error only says that nobody listens.
        let _ = self.0.send(signing);
    }

    /// Listens from now on.
    pub(crate) fn listen(&self, signing: Uuid) -> Listener {
        Listener {
            receiver: self.0.subscribe(),
            signing,
        }
    }
}

/// Waits for changes of one signing.
#[derive(Debug)]
pub(crate) struct Listener {
    receiver: broadcast::Receiver<Uuid>,
    signing: Uuid,
}

impl Listener {
    /// Returns when the signing has, or may have, changed.
    pub(crate) async fn changed(&mut self) {
        loop {
            match self.receiver.recv().await {
                Ok(signing) if signing != self.signing => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// Tells one state of a ceremony from another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Fingerprint(pub(crate) u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

/// What was last told on each link. It only spares readers who do not say what
/// they know an answer that they have; forgetting it costs one early answer.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<HashMap<Uuid, LastTold>>);

/// A state that was told on a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastTold {
    pub(crate) fingerprint: Fingerprint,
    /// When it was told for the first time.
    since: Instant,
}

impl LastTold {
    /// Time in which every reader of a link who waits for changes has come
    /// back: longer than any wait.
    const ROUND: Duration = Duration::from_secs(45);
    /// How long a reader waits who may not have heard the state yet.
    const SHORT_WAIT: Duration = Duration::from_secs(1);

    /// Until when a reader may wait who does not say what it knows: another
    /// reader of the same link may be the one who was told.
    pub(crate) fn longest_wait(&self, now: Instant) -> Instant {
        if now.duration_since(self.since) < Self::ROUND {
            now + Self::SHORT_WAIT
        } else {
            now + Self::ROUND
        }
    }
}

impl Told {
    /// Links that are remembered at the same time.
    const CAPACITY: usize = 16 * 1024;

    /// What was last told on this signer's link.
    pub(crate) fn last(&self, signer: Uuid) -> Option<LastTold> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(&signer).copied()
    }

    /// Remembers what is told now.
    pub(crate) fn remember(&self, signer: Uuid, fingerprint: Fingerprint, now: Instant) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = told
            .get(&signer)
            .filter(|last| last.fingerprint == fingerprint);
        let since = before.map_or(now, |last| last.since);
        if told.len() >= Self::CAPACITY {
            told.clear();
        }
        told.insert(signer, LastTold { fingerprint, since });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_hears_of_its_own_signing_only() {
        let changes = Changes::default();
        let (mine, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut listener = changes.listen(mine);

        changes.announce(other);
        changes.announce(mine);

        listener.changed().await;
        assert!(listener.receiver.is_empty());
    }

    #[test]
    fn a_fingerprint_reads_back_from_its_text() {
        let fingerprint = Fingerprint(0x0123);

        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }

    #[test]
    fn what_was_told_is_remembered_by_link() {
        let told = Told::default();
        told.remember(Uuid::from_u128(1), Fingerprint(7), Instant::now());

        let last = told.last(Uuid::from_u128(1)).unwrap();
        assert_eq!(last.fingerprint, Fingerprint(7));
        assert!(told.last(Uuid::from_u128(2)).is_none());
    }

    #[test]
    fn a_state_that_another_reader_may_have_been_told_is_waited_on_shortly() {
        let (told, link, now) = (Told::default(), Uuid::from_u128(1), Instant::now());
        told.remember(link, Fingerprint(7), now);
        let later = now + LastTold::ROUND;
        told.remember(link, Fingerprint(7), later);

        let last = told.last(link).unwrap();
        assert_eq!(last.longest_wait(now), now + LastTold::SHORT_WAIT);
        assert_eq!(last.longest_wait(later), later + LastTold::ROUND);

        told.remember(link, Fingerprint(8), later);
        let last = told.last(link).unwrap();
        assert_eq!(last.longest_wait(later), later + LastTold::SHORT_WAIT);
    }
}
