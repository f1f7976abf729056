//! The mark beside the store: its state after the last durable commit, outside of sled's files.
//!
//! The file has two slots. One was synced when the store was opened, or some commits ago, and is
//! left unchanged. The other is written after each sync of the records, and not synced itself. So
//! the mark is never ahead of the records; after a loss of power it may be behind them. Neither a
//! loss of power nor damage to one slot destroys the other.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tally::Tallies;
use crate::files;

/// Length of a slot, in bytes.
const SLOT_BYTES: usize = 64 * 1024;
const DIGEST_BYTES: usize = 32;
const LENGTH_BYTES: usize = 4;
const HEADER_BYTES: usize = DIGEST_BYTES + LENGTH_BYTES;
/// Marks after which the slot with the last one is synced and the other one is written.
const MARKS_A_SLOT: u32 = 1024;

/// State of the store after a commit.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Mark {
    /// The commit's number; 0 before the first.
    pub(super) sequence: u64,
    /// Time of the commit, if known.
    pub(super) at: Option<Timestamp>,
    /// Tallies of the entries.
    pub(super) tallies: Tallies,
}

/// Result of reading a mark.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Found {
    /// The file does not exist.
    Absent,
    /// The file has no readable mark.
    Unreadable,
    /// The newest mark.
    Known(Mark),
}

/// The file, opened by the writer of the store.
#[derive(Debug)]
pub(super) struct MarkFile {
    file: File,
    /// The slot in use.
    slot: usize,
    /// Number of marks written to it.
    written: u32,
    /// Buffer of the last slot written.
    content: Vec<u8>,
}

/// Returns the path of the mark of an engine's folder, beside it.
pub(crate) fn path_beside(folder: &Path) -> PathBuf {
    let mut path = folder.as_os_str().to_owned();
    path.push(".mark");
    path.into()
}

/// Reads the newest mark. Changes nothing.
pub(super) fn read(path: &Path) -> io::Result<Found> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Absent),
        file => Ok(newest(&file?)?.map_or(Found::Unreadable, |(_, mark)| Found::Known(mark))),
    }
}

/// Returns whether there is a mark. Changes nothing.
pub(crate) fn is_readable(path: &Path) -> io::Result<bool> {
    Ok(matches!(read(path)?, Found::Known(_)))
}

/// Returns whether there is a mark of a commit. Changes nothing.
pub(crate) fn knows_commits(path: &Path) -> io::Result<bool> {
    Ok(matches!(read(path)?, Found::Known(mark) if mark.sequence > 0))
}

impl MarkFile {
    /// Writes a mark durably, to a file that is created if missing. The previous mark is kept
    /// until the next one is written.
    pub(super) fn begin(path: &Path, mark: &Mark) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        let slot = newest(&file)?.map_or(1, |(slot, _)| slot);
        let mut content = Vec::new();
        write(&file, other(slot), mark, &mut content)?;
        files::sync_all(&file)?;
        if let Some(folder) = path.parent() {
            files::sync(folder)?;
        }
        Ok(Self {
            file,
            slot,
            written: 0,
            content,
        })
    }

    /// Writes a mark. Call when the state that it records is durable.
    pub(super) fn note(&mut self, mark: &Mark) -> io::Result<()> {
        if self.written == MARKS_A_SLOT {
            files::sync_data(&self.file)?;
            self.slot = other(self.slot);
            self.written = 0;
        }
        self.written += 1;
        write(&self.file, self.slot, mark, &mut self.content)
    }

    /// Makes the last mark durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        files::sync_data(&self.file)
    }
}

fn other(slot: usize) -> usize {
    1 - slot
}

fn offset(slot: usize) -> u64 {
    (slot * SLOT_BYTES) as u64
}

/// Writes a slot, by way of a buffer: the SHA-256 digest of the mark, its length, and the mark in
/// JSON.
fn write(file: &File, slot: usize, mark: &Mark, content: &mut Vec<u8>) -> io::Result<()> {
    content.clear();
    content.resize(HEADER_BYTES, 0);
    serde_json::to_writer(&mut *content, mark)?;
    let (header, body) = content.split_at_mut(HEADER_BYTES);
    let length = u32::try_from(body.len()).ok();
    let length = length.filter(|_| body.len() <= SLOT_BYTES - HEADER_BYTES);
    let length = length.ok_or(ErrorKind::FileTooLarge)?.to_be_bytes();
    header[..DIGEST_BYTES].copy_from_slice(&Sha256::digest(body));
    header[DIGEST_BYTES..].copy_from_slice(&length);
    file.write_all_at(content, offset(slot))
}

/// Returns the newest mark and its slot.
fn newest(file: &File) -> io::Result<Option<(usize, Mark)>> {
    let mut newest: Option<(usize, Mark)> = None;
    for slot in [0, 1] {
        let Some(mark) = read_slot(file, slot)? else {
            continue;
        };
        if newest
            .as_ref()
            .is_none_or(|(_, known)| known.sequence < mark.sequence)
        {
            newest = Some((slot, mark));
        }
    }
    Ok(newest)
}

fn read_slot(file: &File, slot: usize) -> io::Result<Option<Mark>> {
    let mut content = vec![0; SLOT_BYTES];
    let mut filled = 0;
    while let Some(rest) = content.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset(slot) + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    content.truncate(filled);
    Ok(decode(&content))
}

fn decode(content: &[u8]) -> Option<Mark> {
    let (digest, rest) = content.split_first_chunk::<DIGEST_BYTES>()?;
    let (length, rest) = rest.split_first_chunk::<LENGTH_BYTES>()?;
    let body = rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    if Sha256::digest(body)[..] != digest[..] {
        return None;
    }
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Version;

    fn mark(sequence: u64) -> Mark {
        let mut tallies = Tallies::default();
        for number in 1..=sequence {
            let version = Version::new(number).expect("not zero");
            tallies.add(format!("tnote\0{number}").as_bytes(), version);
        }
        Mark {
            sequence,
            at: Some(Timestamp::UNIX_EPOCH),
            tallies,
        }
    }

    /// Writes the mark file of a store that was opened at commit 3 and ended at 5.
    fn written(folder: &Path) -> PathBuf {
        let path = folder.join("store.mark");
        let mut file = MarkFile::begin(&path, &mark(3)).expect("made");
        file.note(&mark(4)).expect("written");
        file.note(&mark(5)).expect("written");
        path
    }

    #[test]
    fn the_last_mark_is_read_and_no_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.mark");
        assert_eq!(read(&path).expect("read"), Found::Absent);
        written(folder.path());

        assert_eq!(read(&path).expect("read"), Found::Known(mark(5)));
        drop(MarkFile::begin(&path, &mark(6)).expect("opened"));
        assert_eq!(read(&path).expect("read"), Found::Known(mark(6)));
    }

    #[test]
    fn the_slots_change_places_after_many_marks() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.mark");
        let mut file = MarkFile::begin(&path, &mark(0)).expect("made");
        let before = file.slot;
        for _ in 0..=MARKS_A_SLOT {
            file.note(&mark(1)).expect("written");
        }

        assert_ne!(file.slot, before);
        assert_eq!(read(&path).expect("read"), Found::Known(mark(1)));
    }

    #[test]
    fn a_file_without_a_mark_is_unreadable() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.mark");
        std::fs::write(&path, []).expect("written");

        assert_eq!(read(&path).expect("read"), Found::Unreadable);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_flipped_bit_leaves_the_last_mark_or_an_earlier_one(
            slot in 0..2_usize, at in 0..300_usize, bit in 0..8_u32,
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = written(folder.path());
            let mut content = std::fs::read(&path).expect("read");
            if let Some(byte) = content.get_mut(slot * SLOT_BYTES + at) {
                *byte ^= 1 << bit;
            }
            std::fs::write(&path, content).expect("written");

            let Found::Known(found) = read(&path).expect("read") else {
                panic!("no mark is left");
            };
            prop_assert!(found == mark(5) || found == mark(3));
        }

        #[test]
        fn whatever_is_read_ends_without_a_panic(
            content in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            prop_assert_eq!(decode(&content), None);
        }
    }
}
