use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::SignedDuration;
use tokio::sync::Notify;
use uuid::Uuid;

/// Time for which a move waits for hosts that follow the clock.
const SETTLE: Duration = Duration::from_secs(2);

/// Hosts that follow the world's clock remotely, with the offset last known to each. Clones share
/// the list.
#[derive(Clone, Default)]
pub(super) struct Followers(Arc<State>);

#[derive(Default)]
struct State {
    known: Mutex<HashMap<Uuid, SignedDuration>>,
    changed: Notify,
}

/// A host waiting for the next move. One that disconnects is forgotten.
pub(super) struct Waiting {
    followers: Followers,
    id: Uuid,
    is_answered: bool,
}

impl Followers {
    /// Records the offset that a host knows; it waits for another.
    pub(super) fn arrive(&self, id: Uuid, known: SignedDuration) -> Waiting {
        self.known().insert(id, known);
        self.0.changed.notify_waiters();
        Waiting {
            followers: self.clone(),
            id,
            is_answered: false,
        }
    }

    /// Returns once every host knows `offset`; a host that takes too long is forgotten.
    pub(super) async fn settle(&self, offset: SignedDuration) {
        let settled = async {
            loop {
                let changed = self.0.changed.notified();
                if self.known().values().all(|known| *known == offset) {
                    return;
                }
                changed.await;
            }
        };
        if tokio::time::timeout(SETTLE, settled).await.is_err() {
            self.known().retain(|_, known| *known == offset);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Uuid, SignedDuration>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// The host gets its answer and will ask again.
    pub(super) fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_answered {
            self.followers.known().remove(&self.id);
            self.followers.0.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    #[tokio::test(start_paused = true)]
    async fn a_move_waits_until_every_host_knows_it() {
        let followers = Followers::default();
        let host = Uuid::from_u128(1);
        followers.arrive(host, SignedDuration::ZERO).answered();
        let settling = tokio::spawn({
            let followers = followers.clone();
            async move { followers.settle(HOUR).await }
        });
        tokio::task::yield_now().await;
        assert!(!settling.is_finished());

        let waiting = followers.arrive(host, HOUR);

        settling.await.unwrap();
        waiting.answered();
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_hangs_up_is_not_waited_for() {
        let followers = Followers::default();
        drop(followers.arrive(Uuid::from_u128(1), SignedDuration::ZERO));
        let begun = tokio::time::Instant::now();

        followers.settle(HOUR).await;

        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_says_nothing_holds_one_move_up_for_a_while() {
        let followers = Followers::default();
        let silent = followers.arrive(Uuid::from_u128(1), SignedDuration::ZERO);
        silent.answered();
        let begun = tokio::time::Instant::now();

        followers.settle(HOUR).await;
        followers.settle(HOUR * 2).await;

        assert_eq!(begun.elapsed(), SETTLE);
    }
}
