//! Who waits for a signing to change is told, within this process at once.

use std::collections::HashMap;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast;
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

/// What was last told on each link to somebody who did not say what they knew:
/// whoever asks so again waits for something else. Forgetting it makes that
/// reader wait for the next change.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<HashMap<Uuid, Fingerprint>>);

impl Told {
    /// Links that are remembered at the same time.
    const CAPACITY: usize = 16 * 1024;

    /// What was last told on this signer's link.
    pub(crate) fn last(&self, signer: Uuid) -> Option<Fingerprint> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(&signer).copied()
    }

    /// Remembers what is told now.
    pub(crate) fn remember(&self, signer: Uuid, fingerprint: Fingerprint) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= Self::CAPACITY && !told.contains_key(&signer) {
            told.clear();
        }
        told.insert(signer, fingerprint);
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
        told.remember(Uuid::from_u128(1), Fingerprint(7));
        told.remember(Uuid::from_u128(1), Fingerprint(8));

        assert_eq!(told.last(Uuid::from_u128(1)), Some(Fingerprint(8)));
        assert_eq!(told.last(Uuid::from_u128(2)), None);
    }
}
