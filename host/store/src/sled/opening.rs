//! Checks that an opened store has lost nothing.
//!
//! sled takes a damaged part of its log for the log's end, and everything after it for unwritten.
//! The missing checks are added here. Each group of commits leaves the tally of all entries in the
//! same batch; outside of sled, the [mark](super::mark) has that of each table. The first proves
//! that the entries are those of one commit, the second that it is not an earlier one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::consistency_check;
use super::loss::{AcceptedLoss, Loss, Moment, TableLoss};
use super::mark::{self, Found, Mark, MarkFile};
use super::options::SledOptions;
use super::shared::{SEQUENCE_KEY, Shared, pack, unpack};
use super::tally::{Tallies, Tally};
use crate::engine::{EngineError, Version, Versioned, failed_to};

/// Record of a group of commits beside its last number.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Stamp {
    at: Timestamp,
    tally: Tally,
}

/// State of an opened store, and the file in which it is recorded.
pub(super) struct Opening {
    pub(super) mark: Mark,
    pub(super) file: MarkFile,
}

/// The last commit in the records.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    sequence: u64,
    /// `None` without commits, and for a commit of an earlier program.
    stamp: Option<Stamp>,
}

/// Entries read without sled, with the row of the last commit.
pub(super) struct Readable {
    pub(super) entries: BTreeMap<Vec<u8>, Vec<u8>>,
    tallies: Tallies,
    last: Last,
    /// The row of the last commit was read, or is known with certainty.
    is_last_known: bool,
}

/// Reason why the store counts as complete.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Whole {
    /// The store matches its mark, or has later commits.
    AsMarked,
    /// An earlier program, without marks, created it or wrote to it last.
    Unmarked,
}

impl Stamp {
    pub(super) fn new(at: Timestamp, tallies: &Tallies) -> Self {
        Self {
            at,
            tally: tallies.total(),
        }
    }

    pub(super) fn encoded(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a time and numbers can be written")
    }
}

impl Opening {
    /// Reads all entries and compares them with the previous state. Blocks.
    pub(super) fn of(
        shared: &Shared,
        options: &SledOptions,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let path = mark::path_beside(&options.folder);
        let last = Last::of(shared).map_err(unreadable)?;
        let found = consistency_check::all(shared).map_err(unreadable)?;
        let marked = mark::read(&path).map_err(failed_to("read", &path))?;
        let mut opened = Mark {
            sequence: last.sequence,
            at: last.moment().at,
            tallies: found,
        };
        match judge(&last, &opened.tallies, &marked) {
            Ok(whole) => {
                if whole == Whole::Unmarked && opened.sequence > 0 {
                    tracing::info!(
                        sequence = opened.sequence,
                        "an earlier version of the program wrote to the store last: losses are detected from now on"
                    );
                }
                if options.accepted_loss != AcceptedLoss::None {
                    tracing::info!("the store has lost nothing, so --accept-loss has no effect");
                }
            }
            Err(loss) if options.accepted_loss.covers(&loss) => {
                loss.log_as_accepted();
                // Greater than all previous numbers: numbers only grow.
                let known = loss.had.map_or(0, |had| had.sequence);
                opened.sequence = known.max(last.sequence).saturating_add(1);
                opened.at = Some(now);
                shared.restamp(&opened, now)?;
            }
            Err(loss) => return Err(shared.short(loss)),
        }
        let file = MarkFile::begin(&path, &opened).map_err(failed_to("write", &path))?;
        Ok(Self { mark: opened, file })
    }
}

impl Last {
    fn of(shared: &Shared) -> Result<Self, EngineError> {
        let Some(row) = shared.get(SEQUENCE_KEY)? else {
            return Ok(Self::default());
        };
        Self::read(&row).ok_or(EngineError::Damaged {
            what: "the row of the last commit",
        })
    }

    fn read(row: &Versioned) -> Option<Self> {
        let stamp = match &row.value[..] {
            [] => None,
            value => Some(serde_json::from_slice(value).ok()?),
        };
        Some(Self {
            sequence: row.version.number(),
            stamp,
        })
    }

    fn moment(&self) -> Moment {
        Moment {
            sequence: self.sequence,
            at: self.stamp.map(|stamp| stamp.at),
        }
    }
}

impl Readable {
    /// Derives the last commit from the entries. If they match the mark, it is the mark's.
    /// Otherwise it is that of its row, and without one the last commit that wrote an entry.
    pub(super) fn new(mut entries: BTreeMap<Vec<u8>, Vec<u8>>, marked: &Found) -> Self {
        let row = entries.remove(SEQUENCE_KEY);
        let row = row.and_then(|row| Last::read(&unpack(&row).ok()?));
        let mut tallies = Tallies::default();
        let mut newest = 0;
        entries.retain(|key, value| match unpack(value) {
            Ok(stored) => {
                newest = newest.max(stored.version.number());
                tallies.add(key, stored.version);
                true
            }
            Err(_) => false,
        });
        let marked = match marked {
            Found::Known(mark) if mark.tallies == tallies => Some(Last {
                sequence: mark.sequence,
                stamp: mark.at.map(|at| Stamp::new(at, &tallies)),
            }),
            _ => None,
        };
        let known = marked.or(row);
        let last = known.unwrap_or(Last {
            sequence: newest,
            stamp: None,
        });
        if let Some(version) = Version::new(last.sequence) {
            let stamp = last.stamp.map(|stamp| stamp.encoded()).unwrap_or_default();
            entries.insert(SEQUENCE_KEY.to_vec(), pack(version, &stamp));
        }
        Self {
            entries,
            tallies,
            last,
            is_last_known: known.is_some(),
        }
    }

    /// Returns the loss among them. Without a mark it is unknown.
    pub(super) fn loss(&self, marked: &Found) -> Option<Loss> {
        match marked {
            Found::Known(mark) if !self.is_last_known => {
                Some(Loss::new(self.last.moment(), mark, &self.tallies))
            }
            Found::Known(_) => judge(&self.last, &self.tallies, marked).err(),
            _ => Some(Loss {
                last: self.last.moment(),
                had: None,
                tables: Vec::new(),
            }),
        }
    }
}

/// Compares the present state with the previous one.
fn judge(last: &Last, found: &Tallies, marked: &Found) -> Result<Whole, Loss> {
    let whole = match marked {
        Found::Known(mark) => {
            let is_behind = last.sequence < mark.sequence;
            let is_other = last.sequence == mark.sequence && *found != mark.tallies;
            if is_behind || is_other {
                return Err(Loss::new(last.moment(), mark, found));
            }
            if last.sequence > mark.sequence && last.stamp.is_none() {
                Whole::Unmarked
            } else {
                Whole::AsMarked
            }
        }
        // The mark is durable before the first commit with a stamp is made.
        Found::Absent | Found::Unreadable if last.stamp.is_some() => {
            return Err(Loss {
                last: last.moment(),
                had: None,
                tables: Vec::new(),
            });
        }
        Found::Absent | Found::Unreadable => Whole::Unmarked,
    };
    match (last.stamp, marked) {
        (Some(stamp), Found::Known(mark)) if stamp.tally != found.total() => {
            Err(Loss::new(last.moment(), mark, found))
        }
        _ => Ok(whole),
    }
}

impl Loss {
    fn new(last: Moment, mark: &Mark, found: &Tallies) -> Self {
        let differences = mark.tallies.differences(found).into_iter();
        Self {
            last,
            had: Some(mark.moment()),
            tables: differences
                .map(|(space, had, has)| TableLoss { space, had, has })
                .collect(),
        }
    }

    /// Returns the loss of an open store since its last commit.
    pub(super) fn while_open(mark: &Mark, found: &Tallies) -> Self {
        Self::new(mark.moment(), mark, found)
    }

    fn log_as_accepted(&self) {
        for table in &self.tables {
            tracing::warn!(
                entries = table.entries(),
                had = table.had,
                has = table.has,
                "a loss is accepted: {table}"
            );
        }
        tracing::warn!("the store continues without what is lost: {self}");
    }
}

impl Mark {
    fn moment(&self) -> Moment {
        Moment {
            sequence: self.sequence,
            at: self.at,
        }
    }
}

impl Shared {
    /// Stamps the present entries as the state after a commit.
    fn restamp(&self, mark: &Mark, now: Timestamp) -> Result<(), EngineError> {
        let Some(version) = Version::new(mark.sequence) else {
            return Ok(());
        };
        let stamp = Stamp::new(now, &mark.tallies).encoded();
        let mut batch = sled::Batch::default();
        batch.insert(SEQUENCE_KEY, pack(version, &stamp));
        self.apply(batch)
    }
}

fn unreadable(error: EngineError) -> EngineError {
    match error {
        EngineError::Unhealthy { .. } => EngineError::Damaged {
            what: "a page of the records cannot be read",
        },
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the entries after this many commits; each commit adds a note.
    fn entries(commits: u64) -> Tallies {
        let mut tallies = Tallies::default();
        for number in 1..=commits {
            let version = Version::new(number).expect("not zero");
            tallies.add(format!("tnote\0{number}").as_bytes(), version);
        }
        tallies
    }

    fn stamped(sequence: u64) -> Last {
        Last {
            sequence,
            stamp: Some(Stamp::new(Timestamp::UNIX_EPOCH, &entries(sequence))),
        }
    }

    fn marked(sequence: u64) -> Found {
        Found::Known(Mark {
            sequence,
            at: None,
            tallies: entries(sequence),
        })
    }

    #[test]
    fn a_store_is_whole_at_its_mark_and_past_it() {
        for commits in [0, 7, 9] {
            let last = stamped(commits.max(7));
            let whole = judge(&last, &entries(last.sequence), &marked(7));
            assert_eq!(whole, Ok(Whole::AsMarked));
        }
    }

    #[test]
    fn a_store_behind_its_mark_is_short() {
        let loss = judge(&stamped(7), &entries(7), &marked(9)).expect_err("short");

        assert_eq!(loss.last.sequence, 7);
        assert_eq!(loss.had.map(|had| had.sequence), Some(9));
        assert_eq!((loss.tables[0].had, loss.tables[0].has), (9, 7));
    }

    #[test]
    fn an_entry_that_is_missing_shows_at_and_past_the_mark() {
        for mark in [7, 6] {
            let judged = judge(&stamped(7), &entries(5), &marked(mark));
            assert!(judged.is_err(), "{mark}");
        }
    }

    #[test]
    fn a_mark_that_is_gone_is_told_of_unless_an_earlier_program_made_the_store() {
        for gone in [Found::Absent, Found::Unreadable] {
            let loss = judge(&stamped(7), &entries(7), &gone).expect_err("told of");
            assert_eq!(loss.had, None);
            let earlier = Last {
                sequence: 7,
                stamp: None,
            };
            assert_eq!(judge(&earlier, &entries(7), &gone), Ok(Whole::Unmarked));
        }
    }

    #[test]
    fn what_an_earlier_program_commits_is_no_loss() {
        let earlier = |sequence| Last {
            sequence,
            stamp: None,
        };

        let later = judge(&earlier(9), &entries(9), &marked(7));
        assert_eq!(later, Ok(Whole::Unmarked));
        assert!(judge(&earlier(6), &entries(6), &marked(7)).is_err());
    }
}
