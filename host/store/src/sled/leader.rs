//! The leader thread, the only one that writes to sled.
//!
//! Commits queued while the disk was busy are checked one after the other and written as one
//! batch with one sync. The rate of commits is therefore not bound by the disk's rate of
//! syncs.

use std::collections::HashMap;
use std::io;
use std::mem;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

use super::consistency_check::ConsistencyCheck;
use super::mark::{Mark, MarkFile};
use super::opening::{Opening, Stamp};
use super::shared::{SEQUENCE_KEY, Shared, pack};
use super::tally::Tallies;
use crate::clock::Clock;
use crate::engine::feed::{Committed, Feed, Followers};
use crate::engine::{Commit, CommitOutcome, EngineError, Version};

/// Most queued commits before callers wait.
const QUEUE_LENGTH: usize = 1024;
/// Size of a batch, in bytes of keys and values, after which no further commit is added.
const MAX_GROUP_BYTES: usize = 8 * 1024 * 1024;

/// The callers' handle. Dropping it ends the thread, after the queued requests.
pub(super) struct Leader {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

enum Request {
    Commit(QueuedCommit),
    Follow(oneshot::Sender<Feed>),
    Verify(oneshot::Sender<Result<(), EngineError>>),
}

struct QueuedCommit {
    commit: Commit,
    reply: oneshot::Sender<Result<CommitOutcome, EngineError>>,
}

impl Leader {
    pub(super) fn start(
        shared: Arc<Shared>,
        commits_per_sync: NonZeroU16,
        opening: Opening,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EngineError> {
        let (queue, requests) = mpsc::channel(QUEUE_LENGTH);
        let writer = Writer {
            shared: shared.clone(),
            max_group: commits_per_sync.get().into(),
            last: Version::new(opening.mark.sequence),
            mark: opening.mark,
            mark_file: opening.file,
            clock,
            followers: Followers::default(),
            look: None,
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

    pub(super) async fn verify(&self) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Verify(reply)).await?;
        answer.await.map_err(|_| self.ended())?
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
    /// State of the store since the last group.
    mark: Mark,
    mark_file: MarkFile,
    clock: Arc<dyn Clock>,
    followers: Followers,
    /// Verification in progress.
    look: Option<ConsistencyCheck>,
}

impl Writer {
    fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        while let Some(first) = self.next(&mut requests) {
            let mut bytes = 0;
            let mut group = Vec::new();
            let mut next = Some(first);
            let mut follower = None;
            let mut verifier = None;
            while let Some(request) = next.take() {
                match request {
                    Request::Commit(queued) => {
                        bytes += written_bytes(&queued.commit);
                        group.push(queued);
                    }
                    // A follower is fed the commits after this group.
                    Request::Follow(reply) => {
                        follower = Some(reply);
                        break;
                    }
                    Request::Verify(reply) => {
                        verifier = Some(reply);
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
            if let Some(reply) = verifier {
                self.look.get_or_insert_default().answer(reply);
            }
            self.look_on();
        }
        if let Err(error) = self.mark_file.sync() {
            tracing::warn!(%error, "the store's mark is not synced");
        }
    }

    /// Returns the next request; continues a verification until there is one.
    fn next(&mut self, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
        while self.look.is_some() {
            match requests.try_recv() {
                Ok(request) => return Some(request),
                Err(mpsc::error::TryRecvError::Disconnected) => return None,
                Err(mpsc::error::TryRecvError::Empty) => self.look_on(),
            }
        }
        requests.blocking_recv()
    }

    /// Continues a verification, if there is one.
    fn look_on(&mut self) {
        if let Some(look) = self.look.take() {
            self.look = look.on(&self.shared, &self.mark);
        }
    }

    /// Writes a group, then answers all of it: even a conflict may depend on a commit of the
    /// same group that was not durable before.
    fn write(&mut self, group: Vec<QueuedCommit>) {
        let mut outcomes = Vec::with_capacity(group.len());
        let mut replies = Vec::with_capacity(group.len());
        let tallies = mem::take(&mut self.mark.tallies);
        let is_followed = !self.followers.is_empty();
        let mut batch = GroupBatch::new(&self.shared, self.last, tallies, is_followed);
        for queued in group {
            outcomes.push(batch.add(queued.commit));
            replies.push(queued.reply);
        }
        let told = mem::take(&mut batch.told);
        let changes = mem::take(&mut batch.changes);
        let now = self.clock.now();
        let (tallies, written) = batch.finish(now);
        self.mark.tallies = tallies;
        if written.is_err() {
            for change in changes.iter().rev() {
                let (before, after) = (change.before, change.after);
                self.mark.tallies.change(&change.key, after, before);
            }
        }
        let written = written.and_then(|last| self.note(last, now, &changes));
        if written.is_ok() {
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

    /// Records the state of the store after a durable group with this last commit, before the
    /// group is acknowledged. The mark already has its tallies.
    fn note(
        &mut self,
        last: Option<Version>,
        now: Timestamp,
        changes: &[Change],
    ) -> Result<(), EngineError> {
        let Some(last) = last else {
            return Ok(());
        };
        self.mark.sequence = last.number();
        self.mark.at = Some(now);
        if let Some(look) = &mut self.look {
            for change in changes {
                look.follow(&change.key, change.before, change.after);
            }
        }
        let noted = self.mark_file.note(&self.mark);
        noted.map_err(|error| self.shared.health.fail(&error))?;
        self.last = Some(last);
        Ok(())
    }
}

impl Drop for Writer {
    /// Callers do not wait for a thread that has ended.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.health.fail(&"the leader thread panicked");
        }
        self.shared.settling.end();
    }
}

/// An entry written or removed by a commit.
struct Change {
    key: Bytes,
    before: Option<Version>,
    after: Option<Version>,
}

/// Commits of a group, applied on top of each other.
struct GroupBatch<'s> {
    shared: &'s Shared,
    batch: sled::Batch,
    pending: HashMap<Bytes, Option<Version>>,
    before: Option<Version>,
    last: Option<Version>,
    tallies: Tallies,
    /// The changed entries.
    changes: Vec<Change>,
    /// The commits to feed to followers, if there are any.
    told: Vec<Committed>,
    is_followed: bool,
}

impl<'s> GroupBatch<'s> {
    fn new(shared: &'s Shared, last: Option<Version>, tallies: Tallies, is_followed: bool) -> Self {
        Self {
            shared,
            batch: sled::Batch::default(),
            pending: HashMap::new(),
            before: last,
            last,
            tallies,
            changes: Vec::new(),
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
        // Everything that may fail comes before the first change.
        let changes = self.changes_of(&commit, version)?;
        self.last = Some(version);
        if self.is_followed {
            self.told.push(Committed::new(version, &commit));
        }
        for Change { key, before, after } in &changes {
            self.tallies.change(key, *before, *after);
            self.pending.insert(key.clone(), *after);
        }
        self.changes.extend(changes);
        for key in commit.deletes {
            self.batch.remove(key.as_ref());
        }
        for (key, value) in commit.puts {
            self.batch.insert(key.as_ref(), pack(version, &value));
        }
        Ok(CommitOutcome::Committed)
    }

    fn changes_of(&self, commit: &Commit, version: Version) -> Result<Vec<Change>, EngineError> {
        let deletes = commit.deletes.iter().map(|key| (key, None));
        let puts = commit.puts.iter().map(|(key, _)| (key, Some(version)));
        let mut written: HashMap<&Bytes, Option<Version>> = HashMap::new();
        deletes
            .chain(puts)
            .map(|(key, after)| {
                let before = match written.insert(key, after) {
                    Some(before) => before,
                    None => self.current(key)?,
                };
                Ok(Change {
                    before,
                    key: key.clone(),
                    after,
                })
            })
            .collect()
    }

    fn current(&self, key: &Bytes) -> Result<Option<Version>, EngineError> {
        match self.pending.get(key) {
            Some(version) => Ok(*version),
            None => Ok(self.shared.get(key)?.map(|stored| stored.version)),
        }
    }

    /// Makes the group durable; returns the tallies with its changes, and its last commit, if it
    /// wrote anything.
    fn finish(mut self, now: Timestamp) -> (Tallies, Result<Option<Version>, EngineError>) {
        let tallies = mem::take(&mut self.tallies);
        let written = self.write(now, &tallies);
        (tallies, written)
    }

    fn write(mut self, now: Timestamp, tallies: &Tallies) -> Result<Option<Version>, EngineError> {
        self.shared.health.check()?;
        let Some(last) = self.last.filter(|last| Some(*last) != self.before) else {
            return Ok(None);
        };
        let stamp = Stamp::new(now, tallies).encoded();
        self.batch.insert(SEQUENCE_KEY, pack(last, &stamp));
        self.shared.settling.begin();
        self.shared.apply(self.batch)?;
        Ok(Some(last))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::sled::mark::{self, Found};
    use crate::sled::options::SledOptions;

    /// Has the writer write a commit of its own for each; returns its answers.
    fn write(writer: &mut Writer, commits: Vec<Commit>) -> Vec<Result<CommitOutcome, EngineError>> {
        let (group, answers): (Vec<_>, Vec<_>) = commits
            .into_iter()
            .map(|commit| {
                let (reply, answer) = oneshot::channel();
                (QueuedCommit { commit, reply }, answer)
            })
            .unzip();
        writer.write(group);
        let answers = answers.into_iter();
        answers
            .map(|mut answer| answer.try_recv().expect("an answer"))
            .collect()
    }

    fn put(key: &'static [u8]) -> Commit {
        Commit {
            puts: vec![(Bytes::from_static(key), Bytes::from_static(b"text"))],
            ..Commit::default()
        }
    }

    #[test]
    fn the_mark_is_the_state_after_the_last_group_that_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SledOptions::new(folder.path().join("store"));
        let path = mark::path_beside(&options.folder);
        let mut writer = Writer {
            shared: Arc::new(Shared::open(&options).expect("opened")),
            max_group: 8,
            last: None,
            mark: Mark::default(),
            mark_file: MarkFile::begin(&path, &Mark::default()).expect("made"),
            clock: Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH)),
            followers: Followers::default(),
            look: None,
        };
        let written = write(&mut writer, vec![put(b"tnote\0a"), put(b"tnote\0b")]);
        assert!(written.iter().all(Result::is_ok));
        let noted = writer.mark.clone();
        assert_eq!(noted.tallies.total().entries, 2);
        assert_eq!(
            mark::read(&path).expect("read"),
            Found::Known(noted.clone())
        );

        let mut conflicting = put(b"tnote\0c");
        conflicting.expectations = vec![(Bytes::from_static(b"tnote\0a"), None)];
        let conflict = write(&mut writer, vec![conflicting]);
        assert!(matches!(conflict[..], [Ok(CommitOutcome::Conflict { .. })]));
        assert_eq!(writer.mark, noted);

        writer.shared.health.fail(&"it is out of order");
        let failed = write(&mut writer, vec![put(b"tnote\0b"), put(b"tpage\0c")]);
        assert!(failed.iter().all(Result::is_err));
        assert_eq!(writer.mark, noted);
    }
}
