//! Acknowledgements that precede the sync of their content.
//!
//! The bytes of the disk show this without opening a folder. That is fast enough to check every
//! acknowledgement, also of concurrent tasks.

use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::Serialize;
use uuid::Uuid;

use super::disk::Disk;
use super::mark_of;
use super::trace::Step;
use super::workload::{Line, Mark, accounts};

/// Returns the premature acknowledgements of a recording.
pub(super) fn acknowledged_early<'s>(
    steps: &'s [Step],
    root: &'s Path,
) -> impl Iterator<Item = Mark> + 's {
    let mut disk = Disk::new(root);
    steps.iter().enumerate().filter_map(move |(index, step)| {
        disk.apply(step);
        let place = Place {
            root,
            disk: &disk,
            steps: &steps[..index],
        };
        mark_of(step).filter(|mark| !place.keeps(mark))
    })
}

/// Returns the log of commits.
pub(super) fn log(root: &Path) -> PathBuf {
    root.join("data/store/db")
}

/// Returns the rows that a commit puts, as written in the log.
pub(super) fn rows(task: u32, round: u32) -> Vec<Vec<u8>> {
    let accounts = accounts(task, round).map(|account| json(&account));
    accounts.chain([json(&Line::new(task, round))]).collect()
}

/// The disk at the moment of an acknowledgement, with the steps before it.
struct Place<'p> {
    root: &'p Path,
    disk: &'p Disk,
    steps: &'p [Step],
}

impl Place<'_> {
    /// Returns whether no loss of power can undo the acknowledged change. The rest of a deleted
    /// row in the log cannot be judged by its bytes.
    fn keeps(&self, mark: &Mark) -> bool {
        match mark {
            Mark::Opened | Mark::Together | Mark::Erasing(_) | Mark::DocumentDeleted(_) => true,
            Mark::Committed { task, round } => {
                let rows = rows(*task, *round);
                rows.iter().all(|row| self.keeps_in_log(row))
            }
            Mark::DocumentPut(document) => self.keeps_in_log(&json(document)),
            Mark::KeyCreated(id) => self.keeps_whole(&self.key(*id)),
            Mark::FileWritten { file, .. } => self.keeps_whole(&self.file(file.id)),
            Mark::KeyErased(id) => self.disk.kept(&self.key(*id)).is_none(),
            Mark::FileUnlinked(id) => self.disk.kept(&self.file(*id)).is_none(),
        }
    }

    /// Checks the place where the row was written: the log is too long to be searched each
    /// time.
    fn keeps_in_log(&self, row: &[u8]) -> bool {
        let log = log(self.root);
        let kept = self.disk.kept(&log).unwrap_or_default();
        self.steps.iter().rev().any(|step| match step {
            Step::Written { path, at, bytes } if *path == log => memmem::find(bytes, row)
                .is_some_and(|found| {
                    let start = at + found;
                    kept.get(start..start + row.len()) == Some(row)
                }),
            _ => false,
        })
    }

    fn keeps_whole(&self, file: &Path) -> bool {
        let is_there = self.disk.kept(file).is_some_and(|kept| !kept.is_empty());
        is_there && !self.disk.unsynced().contains(&file)
    }

    fn key(&self, id: Uuid) -> PathBuf {
        self.root.join(format!("data/keys/{id}.key"))
    }

    fn file(&self, id: Uuid) -> PathBuf {
        self.root.join(format!("data/bytes/{id}"))
    }
}

fn json(row: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(row).expect("JSON")
}
