//! The feed of commits to followers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ::bytes::Bytes;
use tokio::sync::mpsc;

use super::{Commit, EngineError, Version};

/// Most bytes of keys and values that a follower may fall behind. Commits do not wait for it.
const MAX_BEHIND_BYTES: usize = 256 * 1024 * 1024;

/// The writes of a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Committed {
    /// The commit's version.
    pub version: Version,
    /// Keys with their new values.
    pub puts: Vec<(Bytes, Bytes)>,
    /// Keys that were removed.
    pub deletes: Vec<Bytes>,
}

/// A feed of every commit after a moment, in order. Dropping it ends the feed.
#[derive(Debug)]
pub struct Feed {
    since: Option<Version>,
    commits: mpsc::UnboundedReceiver<Committed>,
    backlog: Arc<Backlog>,
}

/// The engine's end of the feeds.
#[derive(Debug, Default)]
pub(crate) struct Followers(Vec<Follower>);

#[derive(Debug)]
struct Follower {
    commits: mpsc::UnboundedSender<Committed>,
    backlog: Arc<Backlog>,
}

/// Backlog of commits that were fed and not taken.
#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    is_lost: AtomicBool,
}

impl Feed {
    /// Returns the last commit before the first one of the feed.
    #[must_use]
    pub fn since(&self) -> Option<Version> {
        self.since
    }

    /// Returns every commit acknowledged since the last call.
    ///
    /// # Errors
    /// [`EngineError::FellBehind`] when more was committed between two calls than is retained.
    pub fn take(&mut self) -> Result<Vec<Committed>, EngineError> {
        let mut taken = Vec::new();
        while let Ok(committed) = self.commits.try_recv() {
            self.backlog
                .bytes
                .fetch_sub(committed.bytes(), Ordering::Relaxed);
            taken.push(committed);
        }
        if self.backlog.is_lost.load(Ordering::Acquire) {
            return Err(EngineError::FellBehind {
                limit: MAX_BEHIND_BYTES,
            });
        }
        Ok(taken)
    }
}

impl Followers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a follower of every commit after `since`.
    pub(crate) fn add(&mut self, since: Option<Version>) -> Feed {
        let (sender, commits) = mpsc::unbounded_channel();
        let backlog = Arc::<Backlog>::default();
        self.0.push(Follower {
            commits: sender,
            backlog: backlog.clone(),
        });
        Feed {
            since,
            commits,
            backlog,
        }
    }

    /// Feeds a durable commit before it is acknowledged. Followers that are gone or too far
    /// behind are dropped.
    pub(crate) fn tell(&mut self, committed: &Committed) {
        self.0.retain(|follower| follower.tell(committed));
    }
}

impl Follower {
    fn tell(&self, committed: &Committed) -> bool {
        let bytes = committed.bytes();
        let behind = self.backlog.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if behind > MAX_BEHIND_BYTES {
            self.backlog.is_lost.store(true, Ordering::Release);
            return false;
        }
        self.commits.send(committed.clone()).is_ok()
    }
}

impl Committed {
    pub(crate) fn new(version: Version, commit: &Commit) -> Self {
        Self {
            version,
            puts: commit.puts.clone(),
            deletes: commit.deletes.clone(),
        }
    }

    fn bytes(&self) -> usize {
        let puts = self.puts.iter();
        let puts = puts.map(|(key, value)| key.len() + value.len());
        puts.chain(self.deletes.iter().map(Bytes::len)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn committed(number: u64, bytes: usize) -> Committed {
        Committed {
            version: Version::new(number).expect("not zero"),
            puts: vec![(Bytes::new(), Bytes::from(vec![0; bytes]))],
            deletes: Vec::new(),
        }
    }

    #[test]
    fn a_follower_is_told_what_comes_after_it_began() {
        let mut followers = Followers::default();
        followers.tell(&committed(1, 1));
        let mut feed = followers.add(Version::new(1));
        followers.tell(&committed(2, 1));
        followers.tell(&committed(3, 1));

        assert_eq!(feed.since(), Version::new(1));
        let told = feed.take().expect("nothing was dropped");
        assert_eq!(told, [committed(2, 1), committed(3, 1)]);
        assert_eq!(feed.take().expect("nothing was dropped"), []);
    }

    #[test]
    fn a_follower_that_falls_behind_is_told_so_and_nothing_more() {
        let mut followers = Followers::default();
        let mut feed = followers.add(None);
        let half = MAX_BEHIND_BYTES / 2 + 1;
        followers.tell(&committed(1, half));
        assert_eq!(feed.take().expect("nothing was dropped").len(), 1);

        followers.tell(&committed(2, half));
        followers.tell(&committed(3, half));

        assert!(followers.is_empty());
        assert!(matches!(feed.take(), Err(EngineError::FellBehind { .. })));
    }

    #[test]
    fn a_follower_that_is_gone_is_forgotten() {
        let mut followers = Followers::default();
        drop(followers.add(None));
        followers.tell(&committed(1, 1));

        assert!(followers.is_empty());
    }
}
