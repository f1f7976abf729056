//! Incremental verification of all entries between commits.

use tokio::sync::oneshot;

use super::loss::Loss;
use super::mark::Mark;
use super::shared::Shared;
use super::tally::Tallies;
use crate::engine::{Direction, EngineError, MAX_SCAN_ENTRIES, Scan, Version};
use crate::key::past_prefix;

/// A verification that has reached some key. The leader continues it between commits, and updates
/// it with changes of the keys already checked.
#[derive(Default)]
pub(super) struct ConsistencyCheck {
    /// The next key to check.
    next: Vec<u8>,
    seen: Tallies,
    replies: Vec<oneshot::Sender<Result<(), EngineError>>>,
}

impl ConsistencyCheck {
    /// Adds a receiver of the result.
    pub(super) fn answer(&mut self, reply: oneshot::Sender<Result<(), EngineError>>) {
        self.replies.push(reply);
    }

    /// Updates it with a change of a commit.
    pub(super) fn follow(&mut self, key: &[u8], before: Option<Version>, after: Option<Version>) {
        if key < &self.next[..] {
            self.seen.change(key, before, after);
        }
    }

    /// Checks more entries against the mark. Returns `None` when it is done and has answered.
    pub(super) fn on(mut self, shared: &Shared, mark: &Mark) -> Option<Self> {
        match self.step(shared) {
            Ok(false) => Some(self),
            Ok(true) => self.end(|seen| compare(seen, shared, mark)),
            Err(error) => self.end(|_| Err(shared.health.fail(&error))),
        }
    }

    /// Checks a page of entries; returns whether it was the last.
    fn step(&mut self, shared: &Shared) -> Result<bool, EngineError> {
        let entries = shared.scan(Scan {
            start: self.next.clone(),
            end: past_prefix(&[]),
            direction: Direction::Ascending,
            limit: MAX_SCAN_ENTRIES,
        })?;
        for entry in &entries {
            self.seen.add(&entry.key, entry.stored.version);
        }
        if let Some(last) = entries.last() {
            self.next = [&last.key[..], &[0]].concat();
        }
        Ok(entries.is_empty())
    }

    fn end(self, answer: impl Fn(&Tallies) -> Result<(), EngineError>) -> Option<Self> {
        for reply in self.replies {
            // A caller that has gone away does not need its answer.
            let _ = reply.send(answer(&self.seen));
        }
        None
    }
}

fn compare(seen: &Tallies, shared: &Shared, mark: &Mark) -> Result<(), EngineError> {
    if *seen == mark.tallies {
        return Ok(());
    }
    Err(shared.short(Loss::while_open(mark, seen)))
}

/// Tallies all entries.
pub(super) fn all(shared: &Shared) -> Result<Tallies, EngineError> {
    let mut look = ConsistencyCheck::default();
    while !look.step(shared)? {}
    Ok(look.seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sled::options::SledOptions;
    use crate::sled::shared::pack;

    fn version(number: u64) -> Version {
        Version::new(number).expect("not zero")
    }

    /// Checks notes with these numbers, where the mark has others.
    fn answer(there: &[u64], marked: &[u64]) -> Result<(), EngineError> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SledOptions::new(folder.path().join("store"));
        let shared = Shared::open(&options).expect("opened");
        let key = |number: &u64| format!("tnote\0{number}").into_bytes();
        let mut batch = sled::Batch::default();
        for number in there {
            batch.insert(key(number), pack(version(*number), b"text"));
        }
        shared.apply(batch).expect("written");
        let mut mark = Mark::default();
        for number in marked {
            mark.tallies.add(&key(number), version(*number));
        }
        let (reply, mut answer) = oneshot::channel();
        let mut look = ConsistencyCheck::default();
        look.answer(reply);
        let mut left = Some(look);
        while let Some(look) = left {
            left = look.on(&shared, &mark);
        }
        answer.try_recv().expect("an answer")
    }

    #[test]
    fn entries_that_are_missing_or_too_many_are_told_of() {
        assert!(answer(&[1, 2, 3], &[1, 2, 3]).is_ok());
        for there in [&[1, 2][..], &[1, 2, 3, 4], &[1, 2, 4]] {
            let answer = answer(there, &[1, 2, 3]);
            assert!(
                matches!(answer, Err(EngineError::Short { .. })),
                "{there:?}"
            );
        }
    }
}
