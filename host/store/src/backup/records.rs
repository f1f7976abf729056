//! The file with the records: a scan, then the commits that were made meanwhile.
//!
//! ```text
//! 01 key-length (4) value-length (4) key value        a key has this value from here on
//! 02 key-length (4) key                               a key is deleted from here on
//! 03 sequence (8)                                     the end: the last commit
//! ```
//! Numbers are big-endian. Playing the file from start to end yields the records as of the last
//! commit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use ::bytes::Bytes;
use sha2::{Digest, Sha256};

use super::entry::{Content, create};
use super::error::{BackupError, failed_to};
use crate::engine::{
    Commit, Committed, Direction, EntriesCopy, Entry, MAX_COMMIT_BYTES, MAX_COMMIT_WRITES,
    MAX_KEY_BYTES, MAX_SCAN_ENTRIES, MAX_VALUE_BYTES, Scan, Snapshot, Version,
};
use crate::files::{self, Offloaded};
use crate::key::past_prefix;
use crate::store::Store;

const PUT: u8 = 1;
const DELETE: u8 = 2;
const END: u8 = 3;
/// Writes in one restored commit, well below an engine's limit.
const WRITES_AT_ONCE: usize = MAX_COMMIT_WRITES / 2;
const BYTES_AT_ONCE: usize = MAX_COMMIT_BYTES / 2;

/// The file being written, with every commit made meanwhile.
pub(super) struct RecordsCopy {
    store: Store,
    entries: EntriesCopy,
    last: u64,
    file: Offloaded<Writer>,
}

/// The file with its last commit. Nothing can be added any more, so that all content named by
/// the records existed when they were sealed.
pub(super) struct SealedRecords {
    last: u64,
    file: Offloaded<Writer>,
}

impl RecordsCopy {
    /// Starts to follow the commits.
    pub(super) async fn begin(store: &Store, path: &Path) -> Result<Self, BackupError> {
        let entries = store.engine().begin_copy().await?;
        let path = path.to_owned();
        let file = files::blocking(move || Writer::create(path)).await?;
        Ok(Self {
            store: store.clone(),
            last: match &entries {
                EntriesCopy::Followed(feed) => feed.since().map_or(0, Version::number),
                EntriesCopy::Snapshots(_) => 0,
            },
            entries,
            file: Offloaded::new(file),
        })
    }

    /// Writes all present entries and the commits made meanwhile. Writes nothing for an engine
    /// with snapshots: the last snapshot is enough.
    pub(super) async fn scan(&mut self) -> Result<(), BackupError> {
        if let EntriesCopy::Snapshots(_) = self.entries {
            return Ok(());
        }
        let mut page = everything();
        loop {
            let entries = self.store.engine().scan(page.clone()).await?;
            if !append_page(&self.file, entries, &mut page).await? {
                return Ok(());
            }
            // Values may be newer than the commits fed so far. All of these are fed before the
            // end, with the same result.
            self.append_committed().await?;
        }
    }

    /// Writes the commits fed since the last call.
    pub(super) async fn append_committed(&mut self) -> Result<(), BackupError> {
        let EntriesCopy::Followed(feed) = &mut self.entries else {
            return Ok(());
        };
        let told = feed.take()?;
        let Some(last) = told.last() else {
            return Ok(());
        };
        self.last = last.version.number();
        let frames = told.into_iter().flat_map(Frame::of);
        append(&self.file, frames.collect()).await
    }

    /// Syncs the file, so that little is left to do at the end.
    pub(super) async fn sync(&self) -> Result<(), BackupError> {
        self.file.run(Writer::sync).await
    }

    /// Writes everything committed by now, and no later commit.
    pub(super) async fn seal(mut self) -> Result<SealedRecords, BackupError> {
        if let EntriesCopy::Snapshots(source) = &self.entries {
            let snapshot = source.snapshot().await?;
            self.last = append_snapshot(&self.file, &*snapshot).await?;
        } else {
            // When this is acknowledged, everything scanned is durable and in the feed.
            self.store.engine().commit(Commit::default()).await?;
            self.append_committed().await?;
        }
        Ok(SealedRecords {
            last: self.last,
            file: self.file,
        })
    }
}

impl SealedRecords {
    /// Returns the last commit in the file.
    pub(super) fn sequence(&self) -> u64 {
        self.last
    }

    /// Completes the file.
    pub(super) async fn finish(self) -> Result<Content, BackupError> {
        let end = Frame::End {
            sequence: self.last,
        };
        append(&self.file, vec![end]).await?;
        self.file.run(Writer::finish).await
    }
}

fn everything() -> Scan {
    Scan {
        start: Vec::new(),
        end: past_prefix(&[]),
        direction: Direction::Ascending,
        limit: MAX_SCAN_ENTRIES,
    }
}

/// Writes a snapshot; returns the greatest commit number in it.
async fn append_snapshot(
    file: &Offloaded<Writer>,
    snapshot: &dyn Snapshot,
) -> Result<u64, BackupError> {
    let mut greatest = 0;
    let mut page = everything();
    loop {
        let entries = snapshot.scan(page.clone()).await?;
        let versions = entries.iter().map(|entry| entry.stored.version.number());
        greatest = versions.fold(greatest, u64::max);
        if !append_page(file, entries, &mut page).await? {
            return Ok(greatest);
        }
    }
}

/// Writes a page of a scan and moves to the next one; returns whether the page had entries.
async fn append_page(
    file: &Offloaded<Writer>,
    entries: Vec<Entry>,
    page: &mut Scan,
) -> Result<bool, BackupError> {
    let Some(last) = entries.last() else {
        return Ok(false);
    };
    page.start = [&last.key[..], &[0]].concat();
    let puts = entries.into_iter().map(|entry| Frame::Put {
        key: entry.key,
        value: entry.stored.value,
    });
    append(file, puts.collect()).await?;
    Ok(true)
}

async fn append(file: &Offloaded<Writer>, frames: Vec<Frame>) -> Result<(), BackupError> {
    file.run(move |file| {
        for frame in &frames {
            file.frame(frame)?;
        }
        Ok(())
    })
    .await
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

    fn sync(&mut self) -> Result<(), BackupError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(failed_to("write", &self.path))
    }

    fn finish(&mut self) -> Result<Content, BackupError> {
        self.sync()?;
        Ok(Content {
            bytes: self.bytes,
            sha256: self.digest.clone().finalize().into(),
        })
    }
}

/// The content of one restored commit: keys with their values, or `None` for deleted ones.
#[derive(Default)]
pub(super) struct Part {
    pub(super) rows: BTreeMap<Bytes, Option<Bytes>>,
    /// The last commit, in the last part.
    pub(super) end: Option<u64>,
}

impl Part {
    pub(super) fn commit(&self) -> Commit {
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

/// Reader of the file, from start to end, part by part. Blocks.
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    digest: Sha256,
    bytes: u64,
}

impl Reader {
    pub(super) fn open(path: PathBuf) -> Result<Self, BackupError> {
        let file = File::open(&path).map_err(failed_to("read", &path))?;
        Ok(Self {
            file: BufReader::new(file),
            path,
            digest: Sha256::new(),
            bytes: 0,
        })
    }

    /// Reads the next part, which has the latest values of its keys so far.
    pub(super) fn part(&mut self) -> Result<Part, BackupError> {
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
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(self.malformed());
            }
            read => read.map_err(failed_to("read", &self.path))?,
        }
        self.digest.update(&*bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Returns the length and digest of the file after the last part, if nothing follows.
    pub(super) fn content(&mut self) -> Result<Content, BackupError> {
        let rest = self
            .file
            .fill_buf()
            .map_err(failed_to("read", &self.path))?;
        if !rest.is_empty() {
            return Err(self.malformed());
        }
        Ok(Content {
            bytes: self.bytes,
            sha256: self.digest.clone().finalize().into(),
        })
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::RECORDS;
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

            let mut reader = Reader::open(path.clone()).expect("opened");
            let part = reader.part().expect("read");
            let content = std::fs::read(path).expect("the file");
            let digest = crate::Sha256Digest::of(&content);
            prop_assert_eq!(reader.content().expect("the end").sha256, digest);

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
