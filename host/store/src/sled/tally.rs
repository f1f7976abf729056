//! Tallies: the number of entries, table by table, and a digest that identifies them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::Version;
use crate::table::layout;

/// Number of entries, and the sum of their digests. Each is digested by its key and version;
/// sled's own checksums protect the values.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Tally {
    pub(super) entries: u64,
    digest: [u64; 2],
}

/// Tallies of tables, indexes and queues, by key prefix. Those without entries are omitted.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Tallies(BTreeMap<String, Tally>);

impl Tallies {
    /// Adds an entry.
    pub(super) fn add(&mut self, key: &[u8], version: Version) {
        let name = layout::space_of(key);
        let tally = match self.0.get_mut(name) {
            Some(tally) => tally,
            None => self.0.entry(name.to_owned()).or_default(),
        };
        tally.entries = tally.entries.wrapping_add(1);
        tally.sum(digest_of(key, version), u64::wrapping_add);
    }

    /// Removes an entry that was added before.
    pub(super) fn remove(&mut self, key: &[u8], version: Version) {
        let name = layout::space_of(key);
        if let Some(tally) = self.0.get_mut(name) {
            tally.entries = tally.entries.wrapping_sub(1);
            tally.sum(digest_of(key, version), u64::wrapping_sub);
            if *tally == Tally::default() {
                self.0.remove(name);
            }
        }
    }

    /// Replaces, adds or removes an entry.
    pub(super) fn change(&mut self, key: &[u8], before: Option<Version>, after: Option<Version>) {
        if let Some(version) = before {
            self.remove(key, version);
        }
        if let Some(version) = after {
            self.add(key, version);
        }
    }

    /// Returns the tally of all entries.
    pub(super) fn total(&self) -> Tally {
        let mut total = Tally::default();
        for tally in self.0.values() {
            total.entries = total.entries.wrapping_add(tally.entries);
            total.sum(tally.digest, u64::wrapping_add);
        }
        total
    }

    /// Returns the differences to others: the name, and the numbers of entries here and there.
    pub(super) fn differences(&self, other: &Self) -> Vec<(String, u64, u64)> {
        let others = other.0.keys().filter(|name| !self.0.contains_key(*name));
        let mut names: Vec<&String> = self.0.keys().chain(others).collect();
        names.sort();
        let tallies = names.into_iter().map(|name| {
            let of = |tallies: &Self| tallies.0.get(name).copied().unwrap_or_default();
            (name, of(self), of(other))
        });
        tallies
            .filter(|(_, here, there)| here != there)
            .map(|(name, here, there)| (name.clone(), here.entries, there.entries))
            .collect()
    }
}

impl Tally {
    fn sum(&mut self, digest: [u64; 2], operation: fn(u64, u64) -> u64) {
        for (sum, part) in self.digest.iter_mut().zip(digest) {
            *sum = operation(*sum, part);
        }
    }
}

fn digest_of(key: &[u8], version: Version) -> [u64; 2] {
    let digest = Sha256::new()
        .chain_update(version.number().to_be_bytes())
        .chain_update(key)
        .finalize();
    let (parts, _) = digest.as_chunks::<8>();
    [u64::from_be_bytes(parts[0]), u64::from_be_bytes(parts[1])]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(number: u64) -> Version {
        Version::new(number).expect("not zero")
    }

    #[test]
    fn an_older_version_of_an_entry_is_told_from_a_newer_one() {
        let [mut older, mut newer] = [Tallies::default(), Tallies::default()];
        older.add(b"tnote\0a", version(1));
        newer.add(b"tnote\0a", version(2));

        assert_ne!(older, newer);
        assert_ne!(older.total(), newer.total());
        assert_eq!(older.differences(&newer), [("tnote".to_owned(), 1, 1)]);
    }

    #[test]
    fn differences_are_told_by_table() {
        let [mut one, mut other] = [Tallies::default(), Tallies::default()];
        one.add(b"tnote\0a", version(1));
        one.add(b"tpage\0a", version(1));
        other.add(b"tpage\0a", version(1));
        other.add(b"inote\0book\0a", version(1));

        let expected = [("inote".to_owned(), 0, 1), ("tnote".to_owned(), 1, 0)];
        assert_eq!(one.differences(&other), expected);
    }

    proptest! {
        #[test]
        fn what_is_added_and_taken_away_in_whatever_order_leaves_nothing(
            entries in proptest::collection::vec(("[tiq][a-c]\0[a-z]{0,3}", 1..9_u64), 0..20),
        ) {
            let mut tallies = Tallies::default();
            for (key, number) in &entries {
                tallies.change(key.as_bytes(), None, Some(version(*number)));
            }
            prop_assert_eq!(tallies.total().entries, entries.len() as u64);
            for (key, number) in entries.iter().rev() {
                tallies.change(key.as_bytes(), Some(version(*number)), None);
            }

            prop_assert_eq!(tallies, Tallies::default());
        }
    }
}
