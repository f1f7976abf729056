//! Notifications of changed records within this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

/// Notifier of changed records. It reaches a record's listeners only: thousands
/// may listen to others.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

impl Changes {
    /// Notifies all listeners of a record.
    pub fn announce(&self, record: Uuid) {
        if let Some(sender) = self.senders().get(&record) {
            sender.send_replace(());
        }
    }

    /// Listens to a record from now on.
    pub fn listen(&self, record: Uuid) -> Listener {
        let mut senders = self.senders();
        let sender = senders
            .entry(record)
            .or_insert_with(|| watch::Sender::new(()));
        Listener {
            receiver: sender.subscribe(),
            changes: self.clone(),
            record,
        }
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener to changes of one record.
#[derive(Debug)]
pub struct Listener {
    receiver: watch::Receiver<()>,
    changes: Changes,
    record: Uuid,
}

impl Listener {
    /// Returns when the record has, or may have, changed.
    pub async fn changed(&mut self) {
        // The sender exists as long as there is a listener.
        let _ = self.receiver.changed().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut senders = self.changes.senders();
        // The receiver counts until it is dropped, and two may be dropped at
        // the same time.
        self.receiver = watch::Sender::new(()).subscribe();
        let sender = senders.get(&self.record);
        if sender.is_some_and(watch::Sender::is_closed) {
            senders.remove(&self.record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_hears_of_its_own_record_only() {
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
    async fn all_who_listen_to_a_record_hear_of_it() {
        let changes = Changes::default();
        let record = Uuid::from_u128(1);
        let mut listeners = [changes.listen(record), changes.listen(record)];
        drop(changes.listen(record));

        changes.announce(record);

        for listener in &mut listeners {
            listener.changed().await;
        }
    }

    #[test]
    fn nothing_is_kept_of_those_who_have_heard_enough() {
        let changes = Changes::default();
        let record = Uuid::from_u128(1);
        let listeners = [changes.listen(record), changes.listen(record)];
        assert_eq!(changes.senders().len(), 1);

        drop(listeners);

        assert!(changes.senders().is_empty());
    }
}
