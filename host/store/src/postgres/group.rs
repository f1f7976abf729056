//! Groups of commits in one transaction, decided one after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tokio_postgres::Row;

use super::error::DatabaseError;
use super::rows::version;
use crate::engine::{Commit, CommitOutcome, Version};

/// The keys that a group locks, in order, so that groups do not deadlock; neighbours with the same
/// lock are together.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Locks<'c>(pub(super) Vec<(Lock, Vec<&'c [u8]>)>);

/// Kinds of locks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Lock {
    /// The key is expected: it must not change.
    Reading,
    /// The key is written.
    Writing,
}

/// The writes of a group, in the order of the keys, so that groups rarely deadlock.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Writes<'c> {
    /// Entries of keys that must be absent. An insert by another host is waited for, and then
    /// conflicts.
    pub(super) inserts: Vec<(&'c [u8], &'c [u8])>,
    pub(super) puts: Vec<(&'c [u8], &'c [u8])>,
    /// Applied last. Includes keys that must be absent and stay so, whose inserts only lock them.
    pub(super) deletes: Vec<&'c [u8]>,
}

/// The outcomes of a group's commits, and their joint writes.
#[derive(Debug)]
pub(super) struct Decision<'c> {
    pub(super) outcomes: Vec<CommitOutcome>,
    pub(super) writes: Writes<'c>,
}

impl<'c> Locks<'c> {
    pub(super) fn of(commits: &[&'c Commit]) -> Self {
        let expected = commits.iter().flat_map(|commit| &commit.expectations);
        let mut locks: BTreeMap<&[u8], Lock> =
            expected.map(|(key, _)| (&key[..], Lock::Reading)).collect();
        for commit in commits {
            let puts = commit.puts.iter().map(|(key, _)| &key[..]);
            let written = puts.chain(commit.deletes.iter().map(|key| &key[..]));
            locks.extend(written.map(|key| (key, Lock::Writing)));
        }
        let mut runs: Vec<(Lock, Vec<&[u8]>)> = Vec::new();
        for (key, lock) in locks {
            match runs.last_mut() {
                Some((last, keys)) if *last == lock => keys.push(key),
                _ => runs.push((lock, vec![key])),
            }
        }
        Self(runs)
    }
}

impl<'c> Decision<'c> {
    /// Decides the commits in order, each after the writes of those before it. `found` has the
    /// versions of the existing locked keys; `number` is this transaction's.
    pub(super) fn of(commits: &[&'c Commit], found: &HashMap<Vec<u8>, u64>, number: u64) -> Self {
        let mut written: BTreeMap<&[u8], Option<&[u8]>> = BTreeMap::new();
        let mut absent: BTreeSet<&[u8]> = BTreeSet::new();
        let mut outcomes = Vec::with_capacity(commits.len());
        for commit in commits {
            let current = |key: &[u8]| match written.get(key) {
                Some(value) => value.map(|_| number),
                None => found.get(key).copied(),
            };
            let differs = commit
                .expectations
                .iter()
                .find(|(key, expected)| current(key) != expected.map(Version::number));
            if let Some((key, _)) = differs {
                outcomes.push(CommitOutcome::Conflict { key: key.clone() });
                continue;
            }
            let expected = commit.expectations.iter();
            absent.extend(
                expected
                    .filter(|(key, version)| version.is_none() && !found.contains_key(&key[..]))
                    .map(|(key, _)| &key[..]),
            );
            for key in &commit.deletes {
                written.insert(key, None);
            }
            for (key, value) in &commit.puts {
                written.insert(key, Some(value));
            }
            outcomes.push(CommitOutcome::Committed);
        }
        Self {
            outcomes,
            writes: Writes::of(&written, &absent),
        }
    }
}

impl<'c> Writes<'c> {
    fn of(written: &BTreeMap<&'c [u8], Option<&'c [u8]>>, absent: &BTreeSet<&'c [u8]>) -> Self {
        let mut writes = Self::default();
        for key in absent {
            match written.get(key) {
                Some(Some(value)) => writes.inserts.push((key, value)),
                Some(None) => writes.inserts.push((key, &[])),
                None => {
                    writes.inserts.push((key, &[]));
                    writes.deletes.push(key);
                }
            }
        }
        for (key, value) in written {
            match value {
                Some(value) if !absent.contains(key) => writes.puts.push((key, value)),
                Some(_) => {}
                None => writes.deletes.push(key),
            }
        }
        writes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inserts.is_empty() && self.puts.is_empty() && self.deletes.is_empty()
    }
}

/// Decodes rows of keys and versions.
pub(super) fn versions(rows: &[Row]) -> Result<HashMap<Vec<u8>, u64>, DatabaseError> {
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, version(row.try_get(1)?)?.number())))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates a commit, with expectations and writes on the keys `0` to `3`.
    fn commit() -> impl Strategy<Value = Commit> {
        let expectation = prop_oneof![Just(None), (1..4_u64).prop_map(Version::new)];
        let expectations = proptest::collection::btree_map(0..4_u8, expectation, 0..3);
        let write = prop_oneof![Just(None), any::<u8>().prop_map(Some)];
        let writes = proptest::collection::btree_map(0..4_u8, write, 0..3);
        (expectations, writes).prop_map(|(expectations, writes)| {
            let mut commit = Commit::default();
            for (key, version) in expectations {
                commit.expectations.push((vec![key].into(), version));
            }
            for (key, value) in writes {
                match value {
                    Some(value) => commit.puts.push((vec![key].into(), vec![value].into())),
                    None => commit.deletes.push(vec![key].into()),
                }
            }
            commit
        })
    }

    /// Entries with the number of the commit that wrote each.
    type Entries = BTreeMap<Vec<u8>, (u64, Vec<u8>)>;

    /// Applies the commits one after the other, as an engine without groups would.
    fn one_by_one(entries: &mut Entries, commits: &[Commit], number: u64) -> Vec<bool> {
        let mut done = Vec::new();
        for commit in commits {
            let holds = commit.expectations.iter().all(|(key, expected)| {
                let found = entries.get(&key[..]).map(|(version, _)| *version);
                found == expected.map(Version::number)
            });
            done.push(holds);
            if !holds {
                continue;
            }
            for key in &commit.deletes {
                entries.remove(&key[..]);
            }
            for (key, value) in &commit.puts {
                entries.insert(key.to_vec(), (number, value.to_vec()));
            }
        }
        done
    }

    /// Applies the statements of a group.
    fn applied(entries: &mut Entries, writes: &Writes<'_>, number: u64) {
        for (key, value) in &writes.inserts {
            let old = entries.insert(key.to_vec(), (number, value.to_vec()));
            assert_eq!(old, None, "an insert that the database refuses");
        }
        for (key, value) in &writes.puts {
            entries.insert(key.to_vec(), (number, value.to_vec()));
        }
        for key in &writes.deletes {
            entries.remove(*key);
        }
    }

    proptest! {
        #[test]
        fn a_group_does_what_its_commits_do_one_by_one(
            commits in proptest::collection::vec(commit(), 0..5),
            there in proptest::collection::btree_map(0..4_u8, 1..4_u64, 0..4),
        ) {
            const NUMBER: u64 = 9;
            let before: Entries = there
                .into_iter()
                .map(|(key, version)| (vec![key], (version, Vec::new())))
                .collect();
            let found = before.iter().map(|(key, (version, _))| (key.clone(), *version)).collect();
            let group: Vec<&Commit> = commits.iter().collect();

            let decision = Decision::of(&group, &found, NUMBER);

            let mut expected = before.clone();
            let done = one_by_one(&mut expected, &commits, NUMBER);
            let told: Vec<bool> = decision
                .outcomes
                .iter()
                .map(|outcome| *outcome == CommitOutcome::Committed)
                .collect();
            prop_assert_eq!(told, done);
            let mut left = before;
            applied(&mut left, &decision.writes, NUMBER);
            prop_assert_eq!(left, expected);
        }

        #[test]
        fn whatever_is_written_or_expected_is_locked(
            commits in proptest::collection::vec(commit(), 0..5),
        ) {
            let group: Vec<&Commit> = commits.iter().collect();
            let locks: BTreeMap<&[u8], Lock> = Locks::of(&group)
                .0
                .into_iter()
                .flat_map(|(lock, keys)| keys.into_iter().map(move |key| (key, lock)))
                .collect();
            let decision = Decision::of(&group, &HashMap::new(), 1);

            let written = decision.writes.puts.iter().map(|(key, _)| *key);
            for key in written.chain(decision.writes.deletes.iter().copied()) {
                prop_assert!(locks.contains_key(key));
            }
            for (key, _) in decision.writes.puts {
                prop_assert_eq!(locks.get(key), Some(&Lock::Writing));
            }
            for key in commits.iter().flat_map(|commit| &commit.expectations) {
                prop_assert!(locks.contains_key(&key.0[..]));
            }
        }
    }
}
