//! Who waits for a signing to change is told, within this process at once.

use std::collections::HashMap;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

/// Announces which signing changed, to those alone who wait for that signing:
/// thousands may wait for others.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

impl Changes {
    /// Tells everybody who listens.
    pub fn announce(&self, signing: Uuid) {
        if let Some(sender) = self.senders().get(&signing) {
            sender.send_replace(());
        }
    }

    /// Listens from now on.
    pub fn listen(&self, signing: Uuid) -> Listener {
        let mut senders = self.senders();
        let sender = senders
            .entry(signing)
            .or_insert_with(|| watch::Sender::new(()));
        Listener {
            receiver: sender.subscribe(),
            changes: self.clone(),
            signing,
        }
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for changes of one signing.
#[derive(Debug)]
pub struct Listener {
    receiver: watch::Receiver<()>,
    changes: Changes,
    signing: Uuid,
}

impl Listener {
    /// Returns when the signing has, or may have, changed.
    pub async fn changed(&mut self) {
        // The sender is there for as long as somebody listens.
        let _ = self.receiver.changed().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut senders = self.changes.senders();
        // It counts until it is gone, and two may be going at the same time.
        self.receiver = watch::Sender::new(()).subscribe();
        let sender = senders.get(&self.signing);
        if sender.is_some_and(watch::Sender::is_closed) {
            senders.remove(&self.signing);
        }
    }
}

/// Tells one state of a ceremony from another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fingerprint(pub(crate) u64);

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
pub struct LastStates(Mutex<HashMap<Uuid, Fingerprint>>);

impl LastStates {
    /// Links that are remembered at the same time.
    const CAPACITY: usize = 16 * 1024;

    /// What was last told on this signer's link.
    pub fn last(&self, signer: Uuid) -> Option<Fingerprint> {
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
        assert!(!listener.receiver.has_changed().unwrap());
        changes.announce(mine);

        listener.changed().await;
        assert!(!listener.receiver.has_changed().unwrap());
    }

    #[tokio::test]
    async fn all_who_listen_to_a_signing_hear_of_it() {
        let changes = Changes::default();
        let signing = Uuid::from_u128(1);
        let mut listeners = [changes.listen(signing), changes.listen(signing)];
        drop(changes.listen(signing));

        changes.announce(signing);

        for listener in &mut listeners {
            listener.changed().await;
        }
    }

    #[test]
    fn nothing_is_kept_of_those_who_have_heard_enough() {
        let changes = Changes::default();
        let signing = Uuid::from_u128(1);
        let listeners = [changes.listen(signing), changes.listen(signing)];
        assert_eq!(changes.senders().len(), 1);

        drop(listeners);

        assert!(changes.senders().is_empty());
    }

    #[test]
    fn a_fingerprint_reads_back_from_its_text() {
        let fingerprint = Fingerprint(0x0123);

        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
    }

    #[test]
    fn what_was_told_is_remembered_by_link() {
        let told = LastStates::default();
        told.remember(Uuid::from_u128(1), Fingerprint(7));
        told.remember(Uuid::from_u128(1), Fingerprint(8));

        assert_eq!(told.last(Uuid::from_u128(1)), Some(Fingerprint(8)));
        assert_eq!(told.last(Uuid::from_u128(2)), None);
    }
}
