//! The one thread that writes to sled.
//!
//! Whatever commits have queued while the disk was busy are checked one after the other and
//! written as one batch with one sync, so that the rate of commits is not bound by the disk's
//! rate of syncs.

use std::collections::HashMap;
use std::io;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::feed::{Committed, Feed, Followers};
use super::sled::{SEQUENCE_KEY, Shared, pack};
use super::{Commit, CommitOutcome, EngineError, Version};

/// Commits that may wait before callers have to.
const QUEUE_LENGTH: usize = 1024;
/// Size of a batch, in bytes of keys and values, after which no further commit joins it.
const MAX_GROUP_BYTES: usize = 8 * 1024 * 1024;

/// The callers' end. Dropping it ends the thread, after what is queued.
pub(super) struct Leader {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

enum Request {
    Commit(QueuedCommit),
    Follow(oneshot::Sender<Feed>),
}

struct QueuedCommit {
    commit: Commit,
    reply: oneshot::Sender<Result<CommitOutcome, EngineError>>,
}

impl Leader {
    pub(super) fn start(
        shared: Arc<Shared>,
        commits_per_sync: NonZeroU16,
    ) -> Result<Self, EngineError> {
        let last = shared.get(SEQUENCE_KEY)?.map(|stored| stored.version);
        let (queue, requests) = mpsc::channel(QUEUE_LENGTH);
        let writer = Writer {
            shared: shared.clone(),
            max_group: commits_per_sync.get().into(),
            last,
            followers: Followers::default(),
        };
        let thread = std::thread::Builder::new()
            .name("store-leader".to_owned())
            .spawn(move || writer.run(requests))
            .map_err(|source: io::Error| EngineError::Io {
                action: "start",
                path: "the leader thread".to_owned(),
                source,
            })?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            shared,
        })
    }

    pub(super) async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Commit(QueuedCommit { commit, reply }))
            .await?;
        answer.await.map_err(|_| self.ended())?
    }

    pub(super) async fn follow(&self) -> Result<Feed, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Follow(reply)).await?;
        answer.await.map_err(|_| self.ended())
    }

    async fn send(&self, request: Request) -> Result<(), EngineError> {
        let queue = self.queue.as_ref().ok_or_else(|| self.ended())?;
        queue.send(request).await.map_err(|_| self.ended())
    }

    fn ended(&self) -> EngineError {
        self.shared.health.fail(&"the leader thread has ended")
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's leader thread panicked");
        }
    }
}

struct Writer {
    shared: Arc<Shared>,
    /// Most commits in one batch.
    max_group: usize,
    last: Option<Version>,
    followers: Followers,
}

impl Writer {
    fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        while let Some(first) = requests.blocking_recv() {
            let mut bytes = 0;
            let mut group = Vec::new();
            let mut next = Some(first);
            let mut follower = None;
            while let Some(request) = next.take() {
                match request {
                    Request::Commit(queued) => {
                        bytes += written_bytes(&queued.commit);
                        group.push(queued);
                    }
                    // Whoever follows is told what comes after this group.
                    Request::Follow(reply) => {
                        follower = Some(reply);
                        break;
                    }
                }
                if group.len() < self.max_group && bytes < MAX_GROUP_BYTES {
                    next = requests.try_recv().ok();
                }
            }
            if !group.is_empty() {
                self.write(group);
            }
            if let Some(reply) = follower {
                // A caller that has gone away does not need its answer.
                let _ = reply.send(self.followers.add(self.last));
            }
        }
    }

    /// Writes a group, then answers all of it: a conflict, too, may rest on a commit of the
    /// same group that was not durable before.
    fn write(&mut self, group: Vec<QueuedCommit>) {
        let mut outcomes = Vec::with_capacity(group.len());
        let mut replies = Vec::with_capacity(group.len());
        let mut batch = GroupBatch::new(&self.shared, self.last, !self.followers.is_empty());
        for queued in group {
            outcomes.push(batch.add(queued.commit));
            replies.push(queued.reply);
        }
        let told = std::mem::take(&mut batch.told);
        let written = batch.finish();
        if let Ok(last) = &written {
            self.last = *last;
            for committed in &told {
                self.followers.tell(committed);
            }
        }
        self.shared.settling.end();
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            let failed = written.is_err().then(|| self.shared.health.check());
            let answer = match failed {
                Some(Err(unhealthy)) => Err(unhealthy),
                _ => outcome,
            };
            // A caller that has gone away does not need its answer.
            let _ = reply.send(answer);
        }
    }
}

impl Drop for Writer {
    /// Nobody waits for a thread that has ended.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.health.fail(&"the leader thread panicked");
        }
        self.shared.settling.end();
    }
}

/// The commits of a group on top of each other.
struct GroupBatch<'s> {
    shared: &'s Shared,
    batch: sled::Batch,
    pending: HashMap<Bytes, Option<Version>>,
    before: Option<Version>,
    last: Option<Version>,
    /// What followers are to be told, where there are any.
    told: Vec<Committed>,
    is_followed: bool,
}

impl<'s> GroupBatch<'s> {
    fn new(shared: &'s Shared, last: Option<Version>, is_followed: bool) -> Self {
        Self {
            shared,
            batch: sled::Batch::default(),
            pending: HashMap::new(),
            before: last,
            last,
            told: Vec::new(),
            is_followed,
        }
    }

    fn add(&mut self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        for (key, expected) in &commit.expectations {
            if self.current(key)? != *expected {
                return Ok(CommitOutcome::Conflict { key: key.clone() });
            }
        }
        if commit.is_read_only() {
            return Ok(CommitOutcome::Committed);
        }
        let version = Version::next(self.last);
        self.last = Some(version);
        if self.is_followed {
            self.told.push(Committed::new(version, &commit));
        }
        for key in commit.deletes {
            self.batch.remove(key.as_ref());
            self.pending.insert(key, None);
        }
        for (key, value) in commit.puts {
            self.batch.insert(key.as_ref(), pack(version, &value));
            self.pending.insert(key, Some(version));
        }
        Ok(CommitOutcome::Committed)
    }

    fn current(&self, key: &Bytes) -> Result<Option<Version>, EngineError> {
        match self.pending.get(key) {
            Some(version) => Ok(*version),
            None => Ok(self.shared.get(key)?.map(|stored| stored.version)),
        }
    }

    /// Makes the group durable; answers with the number of the last commit.
    fn finish(mut self) -> Result<Option<Version>, EngineError> {
        self.shared.health.check()?;
        if let Some(last) = self.last
            && self.last != self.before
        {
            self.batch.insert(SEQUENCE_KEY, pack(last, &[]));
            self.shared.settling.begin();
            self.shared.apply(self.batch)?;
        }
        Ok(self.last)
    }
}

fn written_bytes(commit: &Commit) -> usize {
    let puts = commit
        .puts
        .iter()
        .map(|(key, value)| key.len() + value.len());
    let deletes = commit.deletes.iter().map(Bytes::len);
    puts.chain(deletes).sum()
}
