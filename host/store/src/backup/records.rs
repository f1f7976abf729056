//! The file with the records: a scan, then the commits that were made meanwhile.
//!
//! ```text
//! 01 key-length (4) value-length (4) key value        a key has this value from here on
//! 02 key-length (4) key                               a key is gone from here on
//! 03 sequence (8)                                     the end: the last commit
//! ```
//! Numbers are big-endian. Whoever plays the file from its start to its end has the records as
//! the last commit left them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use ::bytes::Bytes;
use sha2::{Digest, Sha256};

use super::copy::{Copied, create};
use super::manifest::Entry;
use super::{BackupError, RECORDS, failed_to};
use crate::engine::{
    Commit, CommitOutcome, Committed, Direction, Engine, Feed, MAX_COMMIT_BYTES, MAX_COMMIT_WRITES,
    MAX_KEY_BYTES, MAX_SCAN_ENTRIES, MAX_VALUE_BYTES, Scan,
};
use crate::files;
use crate::key::past_prefix;
use crate::store::Store;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const END: u8 = 3;
/// Writes in one commit of what is restored, well below what an engine takes.
const WRITES_AT_ONCE: usize = MAX_COMMIT_WRITES / 2;
const BYTES_AT_ONCE: usize = MAX_COMMIT_BYTES / 2;

/// The file, while it is written.
pub(super) struct RecordsCopy {
    store: Store,
    feed: Feed,
    last: u64,
    /// None while a thread writes, and after it failed.
    file: Option<Writer>,
}

impl RecordsCopy {
    /// Begins to follow the commits.
    pub(super) async fn begin(store: &Store, path: &Path) -> Result<Self, BackupError> {
        let feed = store.engine().follow().await?;
        let path = path.to_owned();
        let file = files::blocking(move || Writer::create(path)).await?;
        Ok(Self {
            store: store.clone(),
            last: feed.since().map_or(0, crate::Version::number),
            feed,
            file: Some(file),
        })
    }

    /// Writes everything that the engine keeps now, and what is committed meanwhile.
    pub(super) async fn scan(&mut self) -> Result<(), BackupError> {
        let mut start = Vec::new();
        loop {
            let page = Scan {
                start,
                end: past_prefix(&[]),
                direction: Direction::Ascending,
                limit: MAX_SCAN_ENTRIES,
            };
            let entries = self.store.engine().scan(page).await?;
            let Some(last) = entries.last() else {
                return Ok(());
            };
            start = [&last.key[..], &[0]].concat();
            let puts = entries.into_iter().map(|entry| Frame::Put {
                key: entry.key,
                value: entry.stored.value,
            });
            // Values may be newer than the commits that were told so far: all of them are told
            // before the end, and lead to the same.
            self.append(puts.collect()).await?;
            self.append_committed().await?;
        }
    }

    /// Writes what was told since the last call.
    pub(super) async fn append_committed(&mut self) -> Result<(), BackupError> {
        let told = self.feed.take()?;
        let Some(last) = told.last() else {
            return Ok(());
        };
        self.last = last.version.number();
        self.append(told.into_iter().flat_map(Frame::of).collect())
            .await
    }

    /// Writes everything that has been committed by now.
    pub(super) async fn catch_up(&mut self) -> Result<(), BackupError> {
        // Whatever a scan has seen is durable, and told, when this is acknowledged.
        self.store.engine().commit(Commit::default()).await?;
        self.append_committed().await
    }

    /// Closes the file; gives the number of the last commit in it.
    pub(super) async fn finish(mut self) -> Result<(u64, Entry), BackupError> {
        let last = self.last;
        self.append(vec![Frame::End { sequence: last }]).await?;
        let written = match self.file.take() {
            Some(file) => files::blocking(move || file.finish()).await?,
            None => return Err(unfinished()),
        };
        Ok((last, written.named(RECORDS.into())))
    }

    async fn append(&mut self, frames: Vec<Frame>) -> Result<(), BackupError> {
        let mut file = self.file.take().ok_or_else(unfinished)?;
        let file = files::blocking(move || {
            for frame in &frames {
                file.frame(frame)?;
            }
            Ok::<_, BackupError>(file)
        });
        self.file = Some(file.await?);
        Ok(())
    }
}

/// Writes the records of a file into an engine that holds none; gives the number of the last
/// commit that is in them.
pub(super) async fn restore(engine: &dyn Engine, path: &Path) -> Result<u64, BackupError> {
    let opened = path.to_owned();
    let mut reader = files::blocking(move || Reader::open(opened)).await?;
    loop {
        let (back, part) = files::blocking(move || {
            let part = reader.part()?;
            Ok::<_, BackupError>((reader, part))
        })
        .await?;
        reader = back;
        if !part.rows.is_empty() {
            match engine.commit(part.commit()).await? {
                CommitOutcome::Committed => {}
                CommitOutcome::Conflict { .. } => {
                    unreachable!("a commit without expectations conflicts with nothing")
                }
            }
        }
        if let Some(sequence) = part.end {
            return Ok(sequence);
        }
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Frame {
    Put { key: Bytes, value: Bytes },
    Delete { key: Bytes },
    End { sequence: u64 },
}

impl Frame {
    fn of(committed: Committed) -> impl Iterator<Item = Self> {
        let deletes = committed.deletes.into_iter();
        let puts = committed.puts.into_iter();
        deletes
            .map(|key| Self::Delete { key })
            .chain(puts.map(|(key, value)| Self::Put { key, value }))
    }
}

struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    digest: Sha256,
    bytes: u64,
}

impl Writer {
    fn create(path: PathBuf) -> Result<Self, BackupError> {
        Ok(Self {
            file: BufWriter::new(create(&path)?),
            path,
            digest: Sha256::new(),
            bytes: 0,
        })
    }

    fn frame(&mut self, frame: &Frame) -> Result<(), BackupError> {
        match frame {
            Frame::Put { key, value } => {
                self.write(&[PUT])?;
                self.write(&length(key))?;
                self.write(&length(value))?;
                self.write(key)?;
                self.write(value)
            }
            Frame::Delete { key } => {
                self.write(&[DELETE])?;
                self.write(&length(key))?;
                self.write(key)
            }
            Frame::End { sequence } => {
                self.write(&[END])?;
                self.write(&sequence.to_be_bytes())
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BackupError> {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file
            .write_all(bytes)
            .map_err(failed_to("write", &self.path))
    }

    fn finish(self) -> Result<Copied, BackupError> {
        let file = self.file.into_inner();
        let file = file.map_err(|error| failed_to("write", &self.path)(error.into_error()))?;
        file.sync_all().map_err(failed_to("sync", &self.path))?;
        Ok(Copied {
            bytes: self.bytes,
            sha256: self.digest.finalize().into(),
        })
    }
}

/// What one commit restores: keys with their values, or none for those that are gone.
#[derive(Default)]
struct Part {
    rows: BTreeMap<Bytes, Option<Bytes>>,
    /// The last commit, if this is the last part.
    end: Option<u64>,
}

impl Part {
    fn commit(&self) -> Commit {
        let mut commit = Commit::default();
        for (key, value) in &self.rows {
            match value {
                Some(value) => commit.puts.push((key.clone(), value.clone())),
                None => commit.deletes.push(key.clone()),
            }
        }
        commit
    }
}

struct Reader {
    path: PathBuf,
    file: BufReader<File>,
}

impl Reader {
    fn open(path: PathBuf) -> Result<Self, BackupError> {
        let file = File::open(&path).map_err(failed_to("read", &path))?;
        Ok(Self {
            file: BufReader::new(file),
            path,
        })
    }

    fn part(&mut self) -> Result<Part, BackupError> {
        let mut part = Part::default();
        let mut bytes = 0;
        while part.rows.len() < WRITES_AT_ONCE && bytes < BYTES_AT_ONCE {
            match self.frame()? {
                Frame::Put { key, value } => {
                    bytes += key.len() + value.len();
                    part.rows.insert(key, Some(value));
                }
                Frame::Delete { key } => {
                    bytes += key.len();
                    part.rows.insert(key, None);
                }
                Frame::End { sequence } => {
                    part.end = Some(sequence);
                    break;
                }
            }
        }
        Ok(part)
    }

    fn frame(&mut self) -> Result<Frame, BackupError> {
        let [kind] = self.array()?;
        match kind {
            PUT => {
                let (key, value) = (self.array()?, self.array()?);
                Ok(Frame::Put {
                    key: self.bytes(key, MAX_KEY_BYTES)?,
                    value: self.bytes(value, MAX_VALUE_BYTES)?,
                })
            }
            DELETE => {
                let key = self.array()?;
                Ok(Frame::Delete {
                    key: self.bytes(key, MAX_KEY_BYTES)?,
                })
            }
            END => Ok(Frame::End {
                sequence: u64::from_be_bytes(self.array()?),
            }),
            _ => Err(self.malformed()),
        }
    }

    fn bytes(&mut self, length: [u8; 4], most: usize) -> Result<Bytes, BackupError> {
        let length = usize::try_from(u32::from_be_bytes(length))
            .ok()
            .filter(|length| *length <= most)
            .ok_or_else(|| self.malformed())?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        Ok(bytes.into())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BackupError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), BackupError> {
        match self.file.read_exact(bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.malformed()),
            read => read.map_err(failed_to("read", &self.path)),
        }
    }

    fn malformed(&self) -> BackupError {
        BackupError::Damaged {
            path: self.path.clone(),
            what: "no list of records",
        }
    }
}

fn length(bytes: &Bytes) -> [u8; 4] {
    u32::try_from(bytes.len())
        .expect("keys and values are within the limits of a commit")
        .to_be_bytes()
}

fn unfinished() -> BackupError {
    failed_to("write", Path::new(RECORDS))(io::Error::other("an earlier write failed"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frames() -> impl Strategy<Value = Vec<Frame>> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..20).prop_map(Bytes::from);
        let frame = prop_oneof![
            (bytes(), bytes()).prop_map(|(key, value)| Frame::Put { key, value }),
            bytes().prop_map(|key| Frame::Delete { key }),
        ];
        proptest::collection::vec(frame, 0..20)
    }

    fn written(folder: &Path, frames: &[Frame]) -> PathBuf {
        let path = folder.join(RECORDS);
        let mut writer = Writer::create(path.clone()).expect("a file");
        for frame in frames {
            writer.frame(frame).expect("written");
        }
        let copied = writer.finish().expect("written");
        let content = std::fs::read(&path).expect("the file");
        assert_eq!(copied.bytes, content.len() as u64);
        assert_eq!(copied.sha256, crate::Sha256Digest::of(&content));
        path
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_as_its_last_state(frames in frames(), sequence: u64) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut expected = BTreeMap::new();
            for frame in &frames {
                match frame.clone() {
                    Frame::Put { key, value } => expected.insert(key, Some(value)),
                    Frame::Delete { key } => expected.insert(key, None),
                    Frame::End { .. } => None,
                };
            }
            let all = [&frames[..], &[Frame::End { sequence }]].concat();
            let path = written(folder.path(), &all);

            let part = Reader::open(path).expect("opened").part().expect("read");

            prop_assert_eq!(part.rows, expected);
            prop_assert_eq!(part.end, Some(sequence));
        }

        #[test]
        fn a_file_that_was_cut_off_is_noticed(frames in frames(), cut in 0..9_u64) {
            let folder = tempfile::tempdir().expect("a folder");
            let all = [&frames[..], &[Frame::End { sequence: 1 }]].concat();
            let path = written(folder.path(), &all);
            let file = File::options().write(true).open(&path).expect("the file");
            let length = file.metadata().expect("its length").len();
            file.set_len(length - 1 - cut.min(length - 1)).expect("cut");

            let mut reader = Reader::open(path).expect("opened");

            let is_noticed = matches!(reader.part(), Err(BackupError::Damaged { .. }));
            prop_assert!(is_noticed);
        }

        #[test]
        fn whatever_is_read_ends_without_a_panic(content in proptest::collection::vec(any::<u8>(), 0..64)) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(RECORDS);
            std::fs::write(&path, content).expect("written");
            let mut reader = Reader::open(path).expect("opened");

            while let Ok(part) = reader.part() {
                if part.end.is_some() {
                    break;
                }
            }
        }
    }
}
