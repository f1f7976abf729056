//! Who waits for a signing to change is told, within this process at once.

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
        Listener { receiver: self.0.subscribe(), signing }
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
}
