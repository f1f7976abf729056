//! Whether what reads see is durable.
//!
//! A group of commits can be read as soon as it is applied, and is durable only when it is
//! synced. Whoever tells the world what they have read waits for the group that they may have
//! seen, and for no later one.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// How far the groups of commits have come, by their numbers.
pub(super) struct CommitProgress {
    /// The last one that reads may see.
    visible: AtomicU64,
    /// The last one that is durable, and that followers have been told of.
    settled: watch::Sender<u64>,
}

impl CommitProgress {
    pub(super) fn new() -> Self {
        Self {
            visible: AtomicU64::new(0),
            settled: watch::Sender::new(0),
        }
    }

    /// To be called before a group is applied: reads may see it from here on.
    pub(super) fn begin(&self) {
        self.visible.fetch_add(1, Ordering::SeqCst);
    }

    /// To be called when the group that was begun last is durable and told, or when the engine
    /// has failed.
    pub(super) fn end(&self) {
        self.settled
            .send_replace(self.visible.load(Ordering::SeqCst));
    }

    /// Waits until everything is settled that reads which have ended may have seen. If the engine
    /// is healthy then, it is durable.
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
