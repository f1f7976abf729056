//! Progress of commits, which says when reads are durable.
//!
//! A group of commits is visible as soon as it is applied, and durable only when it is synced. A
//! caller that reveals what it read waits for the group that it may have seen, and for no later
//! one.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// Progress of the groups of commits, by their numbers.
pub(super) struct CommitProgress {
    /// Last visible group.
    visible: AtomicU64,
    /// Last group that is durable and was fed to followers.
    settled: watch::Sender<u64>,
}

impl CommitProgress {
    pub(super) fn new() -> Self {
        Self {
            visible: AtomicU64::new(0),
            settled: watch::Sender::new(0),
        }
    }

    /// Begins a group. Call before it is applied: reads may see it from here on.
    pub(super) fn begin(&self) {
        self.visible.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends the last group. Call when it is durable and fed, or when the engine has failed.
    pub(super) fn end(&self) {
        self.settled
            .send_replace(self.visible.load(Ordering::SeqCst));
    }

    /// Returns the last visible group, if it is settled. If no other has begun after further reads,
    /// these are all of one moment, and if the engine is healthy then, durable.
    pub(super) fn last_if_settled(&self) -> Option<u64> {
        let visible = self.visible.load(Ordering::SeqCst);
        (*self.settled.borrow() >= visible).then_some(visible)
    }

    /// Returns whether no group has begun after this one.
    pub(super) fn is_last(&self, group: u64) -> bool {
        self.visible.load(Ordering::SeqCst) == group
    }

    /// Waits until every group is settled that earlier reads may have seen. If the engine is
    /// healthy then, these groups are durable.
    pub(super) async fn settle(&self) {
        let visible = self.visible.load(Ordering::SeqCst);
        if *self.settled.borrow() < visible {
            let mut settled = self.settled.subscribe();
            let waited = settled.wait_for(|settled| *settled >= visible).await;
            waited.expect("the sender lives as long as `self`");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Waker};

    use super::*;

    fn is_ready(future: Pin<&mut impl Future<Output = ()>>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        future.poll(&mut context).is_ready()
    }

    #[test]
    fn nobody_waits_while_nothing_is_under_way() {
        let settling = CommitProgress::new();
        assert!(is_ready(pin!(settling.settle())));
        settling.begin();
        settling.end();

        assert!(is_ready(pin!(settling.settle())));
    }

    #[test]
    fn reads_are_of_one_moment_until_a_group_begins() {
        let settling = CommitProgress::new();
        let last = settling.last_if_settled().expect("nothing is under way");
        assert!(settling.is_last(last));

        settling.begin();
        assert!(!settling.is_last(last));
        assert_eq!(settling.last_if_settled(), None);

        settling.end();
        assert!(!settling.is_last(last));
        let next = settling.last_if_settled().expect("nothing is under way");
        assert!(settling.is_last(next));
    }

    #[test]
    fn whoever_may_have_seen_a_group_waits_for_it_and_for_no_later_one() {
        let settling = CommitProgress::new();
        settling.begin();
        let mut waiting = pin!(settling.settle());
        assert!(!is_ready(waiting.as_mut()));

        settling.end();
        settling.begin();

        assert!(is_ready(waiting));
        assert!(!is_ready(pin!(settling.settle())));
    }
}
