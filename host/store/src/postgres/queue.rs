//! The queue of commits, and their grouping into transactions.

use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use crate::engine::{Commit, CommitOutcome, EngineError, MAX_COMMIT_BYTES};

/// Most commits that wait for a committer.
const QUEUE: usize = 1024;
/// Most commits in one transaction.
const GROUP: usize = 64;
/// Commits that justify a transaction while others are in progress: one with eight commits costs
/// the database about as much as one with two.
const ENOUGH: usize = 8;
/// Time that fewer commits wait for others, or for a transaction to end.
const GATHERING: Duration = Duration::from_millis(2);

/// A commit, with the channel for its outcome.
pub(super) struct Request {
    pub(super) commit: Commit,
    pub(super) until: Instant,
    pub(super) reply: oneshot::Sender<Result<CommitOutcome, EngineError>>,
}

/// The queue of commits.
pub(super) struct Queue {
    waiting: Mutex<mpsc::Receiver<Request>>,
    /// Number of groups in progress.
    under_way: watch::Sender<usize>,
}

/// Commits made together, at least one; in progress until dropped.
pub(super) struct Group<'q> {
    pub(super) requests: Vec<Request>,
    /// Deadline, which is that of the first commit.
    pub(super) until: Instant,
    queue: &'q Queue,
}

impl Queue {
    /// Creates an empty queue, and the sender into it.
    pub(super) fn new() -> (mpsc::Sender<Request>, Self) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let queue = Self {
            waiting: Mutex::new(receiver),
            under_way: watch::Sender::new(0),
        };
        (sender, queue)
    }

    /// Returns the next commits to make; `None` once all senders are gone. Without a group in
    /// progress, commits do not wait. Otherwise a few of them wait briefly: the commits of
    /// several hosts would else be spread over as many transactions as there are connections.
    pub(super) async fn next_group(&self) -> Option<Group<'_>> {
        let mut waiting = self.waiting.lock().await;
        let first = waiting.recv().await?;
        let until = first.until;
        let mut requests = vec![first];
        let gathered = Instant::now() + GATHERING;
        let mut ends = self.under_way.subscribe();
        let mut bytes = 0;
        while let Some(last) = requests.last() {
            bytes += last.commit.bytes();
            if requests.len() == GROUP || bytes > MAX_COMMIT_BYTES / 2 {
                break;
            }
            let is_alone = *ends.borrow() == 0;
            let next = match waiting.try_recv() {
                Ok(next) => Some(next),
                Err(_) if is_alone || requests.len() >= ENOUGH => None,
                Err(_) => tokio::select! {
                    biased;
                    next = waiting.recv() => next,
                    _ = ends.changed() => None,
                    () = sleep_until(gathered) => None,
                },
            };
            let Some(next) = next else {
                break;
            };
            requests.push(next);
        }
        self.under_way.send_modify(|groups| *groups += 1);
        Some(Group {
            requests,
            until,
            queue: self,
        })
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        self.queue.under_way.send_modify(|groups| *groups -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn put(queue: &mpsc::Sender<Request>) {
        let (reply, _) = oneshot::channel();
        let request = Request {
            commit: Commit::default(),
            until: Instant::now(),
            reply,
        };
        assert!(queue.send(request).await.is_ok(), "the queue is open");
    }

    async fn next(queue: &Queue) -> Group<'_> {
        queue.next_group().await.expect("the queue is open")
    }

    #[tokio::test(start_paused = true)]
    async fn a_commit_waits_for_nobody_while_nothing_is_under_way() {
        let (sender, queue) = Queue::new();
        let begun = Instant::now();
        for _ in 0..2 {
            put(&sender).await;

            let group = next(&queue).await;

            assert_eq!((group.requests.len(), begun.elapsed()), (1, Duration::ZERO));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_commits_wait_until_a_transaction_ends() {
        let (sender, queue) = Queue::new();
        put(&sender).await;
        let first = next(&queue).await;
        put(&sender).await;

        let end = async {
            tokio::time::sleep(GATHERING / 2).await;
            put(&sender).await;
            tokio::task::yield_now().await;
            drop(first);
        };
        let begun = Instant::now();
        let (group, ()) = tokio::join!(next(&queue), end);

        assert_eq!(group.requests.len(), 2);
        assert!(begun.elapsed() < GATHERING, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_commits_wait_for_a_moment_where_no_transaction_ends() {
        let (sender, queue) = Queue::new();
        put(&sender).await;
        let _first = next(&queue).await;
        put(&sender).await;

        let begun = Instant::now();
        let group = next(&queue).await;

        assert_eq!(group.requests.len(), 1);
        assert!(begun.elapsed() >= GATHERING, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn enough_commits_do_not_wait() {
        let (sender, queue) = Queue::new();
        put(&sender).await;
        let _first = next(&queue).await;
        for _ in 0..ENOUGH {
            put(&sender).await;
        }

        let begun = Instant::now();
        let group = next(&queue).await;

        assert_eq!(group.requests.len(), ENOUGH);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_transaction_takes_no_more_than_its_most() {
        let (sender, queue) = Queue::new();
        for _ in 0..=GROUP {
            put(&sender).await;
        }

        assert_eq!(next(&queue).await.requests.len(), GROUP);
        assert_eq!(next(&queue).await.requests.len(), 1);
    }
}
