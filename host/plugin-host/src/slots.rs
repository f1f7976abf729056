//! How many calls run at once, in all and of one plugin.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of a host, one for each call at the same time.
#[derive(Debug)]
pub(crate) struct Slots {
    all: Arc<Semaphore>,
    per_plugin: usize,
}

/// What one plugin may take of the slots: three quarters, so that a plugin
/// whose calls do not end leaves some to the others.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    all: Arc<Semaphore>,
    own: Arc<Semaphore>,
    /// How many slots there are of the plugin's own.
    count: usize,
}

/// A slot that is taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Slots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(count)),
            per_plugin: (count - count.div_ceil(4)).max(1),
        }
    }

    /// The share of one more plugin.
    pub(crate) fn share(&self) -> Share {
        Share {
            all: Arc::clone(&self.all),
            own: Arc::new(Semaphore::new(self.per_plugin)),
            count: self.per_plugin,
        }
    }
}

impl Share {
    /// Waits for a slot. Whoever waits for one of the plugin's own holds none
    /// of the others'.
    pub(crate) async fn take(&self) -> Slot {
        const NEVER_CLOSED: &str = "nothing closes the semaphore";

        let own = Arc::clone(&self.own).acquire_owned();
        let own = own.await.expect(NEVER_CLOSED);
        let all = Arc::clone(&self.all).acquire_owned();
        Slot {
            _all: all.await.expect(NEVER_CLOSED),
            _own: own,
        }
    }

    /// Whether a slot is free, and after it one more if there is ever more than
    /// one.
    pub(crate) fn has_slot_to_spare(&self) -> bool {
        let wanted = self.count.min(2);
        self.own.available_permits() >= wanted && self.all.available_permits() >= wanted
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn one_plugin_leaves_slots_to_the_others() {
        for (count, of_one) in [(1, 1), (2, 1), (4, 3), (16, 12)] {
            let slots = Slots::new(count);
            let (greedy, modest) = (slots.share(), slots.share());

            let taken: Vec<_> = (0..count)
                .map_while(|_| greedy.take().now_or_never())
                .collect();

            assert_eq!(taken.len(), of_one, "{count}");
            let left = modest.take().now_or_never();
            assert_eq!(left.is_some(), count > 1, "{count}");
        }
    }

    #[test]
    fn the_last_slot_is_spared_only_where_there_is_no_other() {
        for (count, spared) in [(1, 1), (2, 1), (4, 2), (16, 11)] {
            let share = Slots::new(count).share();

            let mut taken = Vec::new();
            while share.has_slot_to_spare() {
                taken.extend(share.take().now_or_never());
            }

            assert_eq!(taken.len(), spared, "{count}");
        }
    }
}
