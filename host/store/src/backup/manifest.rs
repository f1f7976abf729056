//! The manifest of a backup: the digest of every file.
//!
//! Each line is JSON:
//!
//! ```text
//! {"format", "schema", "mode"}      the kind of backup
//! {"path", "bytes", "sha256"}       a copied file
//! {"dropped"}                       a file no longer in the backup
//! {"sequence", "takenAt"}           the moment of the snapshot
//! {"sha256", "hmac"}                the digest of the lines before, and the proof of authorship
//! ```
//! Files are listed as they are copied. The manifest has a temporary name until its last line is
//! written.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::entry::{Entry, EntryPath, create};
use super::error::{BackupError, failed_to};
use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::keys::{BackupProof, MasterKey};
use crate::mode::StoreMode;
use crate::schema::SCHEMA_VERSION;

pub(super) const NAME: &str = "manifest.jsonl";
/// Name of the manifest until it is complete.
const NEW_NAME: &str = "manifest.jsonl.new";
/// The format that this program writes and reads. It changes whenever the syntax of a line does.
const FORMAT: u32 = 2;

/// The first line.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Header {
    format: u32,
    /// The store's schema version.
    pub(super) schema: u32,
    /// The mode that the store was made for.
    pub(super) mode: StoreMode,
}

/// The moment of the snapshot.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moment {
    /// Number of the last commit.
    pub(super) sequence: u64,
    /// Time of completion, by the store's clock.
    pub(super) taken_at: Timestamp,
}

/// The last line.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Seal {
    sha256: Sha256Digest,
    hmac: BackupProof,
}

/// Totals of a backup.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Totals {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) header: Header,
    pub(super) entries: Vec<Entry>,
    pub(super) moment: Moment,
    pub(super) seal: Seal,
}

/// A manifest being written.
pub(super) struct ManifestWriter {
    folder: PathBuf,
    file: BufWriter<File>,
    digest: Sha256,
    totals: Totals,
}

impl Header {
    pub(super) fn new(schema: u32, mode: StoreMode) -> Self {
        Self {
            format: FORMAT,
            schema,
            mode,
        }
    }

    fn check(&self) -> Result<(), BackupError> {
        if self.format != FORMAT {
            return Err(BackupError::UnknownFormat {
                found: self.format,
                known: FORMAT,
            });
        }
        if self.schema == 0 || self.schema > SCHEMA_VERSION {
            return Err(BackupError::UnknownSchema { found: self.schema });
        }
        Ok(())
    }
}

impl ManifestWriter {
    pub(super) fn create(folder: &Path, header: &Header) -> Result<Self, BackupError> {
        let mut writer = Self {
            folder: folder.to_owned(),
            file: BufWriter::new(create(&folder.join(NEW_NAME))?),
            digest: Sha256::new(),
            totals: Totals::default(),
        };
        writer.sealed_line(header)?;
        Ok(writer)
    }

    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), BackupError> {
        self.totals.files += 1;
        self.totals.bytes += entry.content.bytes;
        self.sealed_line(entry)
    }

    /// Removes a file of this length from the list.
    pub(super) fn drop(&mut self, path: EntryPath, bytes: u64) -> Result<(), BackupError> {
        self.totals.files = self.totals.files.saturating_sub(1);
        self.totals.bytes = self.totals.bytes.saturating_sub(bytes);
        self.sealed_line(&Dropped { dropped: path })
    }

    /// Completes the manifest, which makes the folder a backup.
    pub(super) fn finish(
        &mut self,
        moment: Moment,
        master: &MasterKey,
    ) -> Result<Totals, BackupError> {
        self.sealed_line(&moment)?;
        let sha256 = Sha256Digest::from(self.digest.clone().finalize());
        let hmac = master.backup_proof(&sha256);
        self.line(&line(&Seal { sha256, hmac })?)?;
        let [new, path] = [NEW_NAME, NAME].map(|name| self.folder.join(name));
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(failed_to("write", &new))?;
        fs::rename(&new, &path).map_err(failed_to("write", &path))?;
        files::sync(&self.folder).map_err(failed_to("sync", &self.folder))?;
        Ok(self.totals)
    }

    fn sealed_line(&mut self, value: &impl Serialize) -> Result<(), BackupError> {
        let line = line(value)?;
        self.digest.update(&line);
        self.line(&line)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), BackupError> {
        let written = self.file.write_all(line);
        written.map_err(failed_to("write", &self.folder.join(NEW_NAME)))
    }
}

impl Manifest {
    /// Reads the manifest and no other file.
    pub(super) fn read(folder: &Path) -> Result<Self, BackupError> {
        let path = folder.join(NAME);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BackupError::NotWhole {
                    folder: folder.to_owned(),
                    what: format!("{NAME} is missing, which is written last"),
                });
            }
            opened => opened.map_err(failed_to("read", &path))?,
        };
        Self::parse(BufReader::new(file), &path)
    }

    /// Returns whether a server with this master key wrote it.
    pub(super) fn is_by(&self, master: &MasterKey) -> bool {
        self.seal.is_by(master)
    }

    fn parse(text: impl BufRead, path: &Path) -> Result<Self, BackupError> {
        let mut lines = Lines::of(text, path);
        let header: Header = lines.parse_next()?;
        header.check()?;
        let mut entries = Vec::new();
        let mut dropped = HashSet::new();
        let moment = loop {
            match lines.parse_next()? {
                Line::Entry(entry) => entries.push(entry),
                Line::Dropped(Dropped { dropped: path }) => {
                    dropped.insert(path);
                }
                Line::Moment(moment) => break moment,
            }
        };
        let sha256 = Sha256Digest::from(lines.digest.clone().finalize());
        let seal: Seal = lines.parse_next()?;
        if seal.sha256 != sha256 || lines.next()?.is_some() {
            return Err(lines.damaged("not as it was written"));
        }
        entries.retain(|entry: &Entry| !dropped.contains(&entry.path));
        Ok(Self {
            header,
            entries,
            moment,
            seal,
        })
    }
}

impl Seal {
    /// Returns whether its writer had this master key.
    pub(super) fn is_by(&self, master: &MasterKey) -> bool {
        self.hmac.is_by(master, &self.sha256)
    }
}

#[derive(Deserialize, Serialize)]
struct Dropped {
    dropped: EntryPath,
}

/// A line between the first and the last.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Entry(Entry),
    Dropped(Dropped),
    Moment(Moment),
}

/// Lines of a manifest, with the digest of those already read.
struct Lines<'p, R> {
    text: R,
    path: &'p Path,
    digest: Sha256,
}

impl<'p, R: BufRead> Lines<'p, R> {
    /// Longest line, in bytes: a path has at most 4096 bytes, and JSON may escape each of them.
    const LONGEST: u64 = 32 * 1024;

    fn of(text: R, path: &'p Path) -> Self {
        Self {
            text,
            path,
            digest: Sha256::new(),
        }
    }

    /// Returns the next line with its line end; `None` after the last.
    fn next(&mut self) -> Result<Option<Vec<u8>>, BackupError> {
        let mut line = Vec::new();
        let read = Read::by_ref(&mut self.text)
            .take(Self::LONGEST)
            .read_until(b'\n', &mut line);
        read.map_err(failed_to("read", self.path))?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(self.damaged("cut off"));
        }
        self.digest.update(&line);
        Ok(Some(line))
    }

    fn parse_next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, BackupError> {
        let line = self.next()?.ok_or_else(|| self.damaged("cut off"))?;
        serde_json::from_slice(&line).map_err(|_| self.damaged("no list of files"))
    }

    fn damaged(&self, what: &'static str) -> BackupError {
        BackupError::Damaged {
            path: self.path.to_owned(),
            what,
        }
    }
}

fn line(value: &impl Serialize) -> Result<Vec<u8>, BackupError> {
    let line = serde_json::to_vec(value);
    let mut line = line.map_err(|error| failed_to("write", Path::new(NAME))(error.into()))?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::entry::Content;
    use super::*;

    fn master() -> MasterKey {
        MasterKey::from_bytes([7; 32])
    }

    fn moment() -> Moment {
        Moment {
            sequence: 7,
            taken_at: "2026-03-01T08:00:00Z".parse().expect("a time"),
        }
    }

    fn entry(path: EntryPath) -> Entry {
        Entry {
            path,
            content: Content {
                bytes: 3,
                sha256: Sha256Digest::of(b"abc"),
            },
        }
    }

    /// Writes a manifest with these files; returns its text and totals.
    fn written(schema: u32, entries: &[Entry], dropped: &[EntryPath]) -> (Vec<u8>, Totals) {
        let folder = tempfile::tempdir().expect("a folder");
        let header = Header::new(schema, StoreMode::Demo);
        let mut writer = ManifestWriter::create(folder.path(), &header).expect("a file");
        for entry in entries {
            writer.add(entry).expect("written");
        }
        for path in dropped {
            writer.drop(path.clone(), 3).expect("written");
        }
        let totals = writer.finish(moment(), &master()).expect("written");
        assert!(!folder.path().join(NEW_NAME).exists());
        (
            fs::read(folder.path().join(NAME)).expect("the file"),
            totals,
        )
    }

    fn parse(text: &[u8]) -> Result<Manifest, BackupError> {
        Manifest::parse(text, Path::new(NAME))
    }

    #[test]
    fn a_manifest_lists_what_was_added_and_not_dropped() {
        let (key, file) = (EntryPath::Key(Uuid::nil()), EntryPath::Bytes(Uuid::max()));
        let entries = [EntryPath::Records, key.clone(), file].map(entry);

        let (text, totals) = written(SCHEMA_VERSION, &entries, &[key]);
        let manifest = parse(&text).expect("read");

        assert_eq!(manifest.entries, [entries[0].clone(), entries[2].clone()]);
        assert_eq!((totals.files, totals.bytes), (2, 6));
        assert_eq!(manifest.moment, moment());
    }

    #[test]
    fn a_manifest_is_by_whoever_has_the_key() {
        let (text, _) = written(SCHEMA_VERSION, &[entry(EntryPath::Records)], &[]);
        let manifest = parse(&text).expect("read");

        assert!(manifest.is_by(&master()));
        assert!(!manifest.is_by(&MasterKey::from_bytes([8; 32])));
    }

    #[test]
    fn a_manifest_that_is_cut_off_or_changed_anywhere_is_damaged_or_not_ours() {
        let (text, _) = written(SCHEMA_VERSION, &[entry(EntryPath::Records)], &[]);
        for at in 0..text.len() {
            assert!(
                matches!(parse(&text[..at]), Err(BackupError::Damaged { .. })),
                "cut at {at}"
            );
            let mut changed = text.clone();
            changed[at] ^= 1;
            let is_noticed = match parse(&changed) {
                Ok(manifest) => !manifest.is_by(&master()),
                Err(error) => error.is_refusal(),
            };
            assert!(is_noticed, "changed at {at}");
        }
    }

    #[test]
    fn a_line_after_the_last_is_damage() {
        let (mut text, _) = written(SCHEMA_VERSION, &[entry(EntryPath::Records)], &[]);
        text.extend_from_slice(b"{}\n");

        assert!(matches!(parse(&text), Err(BackupError::Damaged { .. })));
    }

    #[test]
    fn a_backup_of_another_layout_is_not_called_damaged() {
        for format in [FORMAT - 1, FORMAT + 1] {
            let header = serde_json::json!({
                "format": format,
                "schema": SCHEMA_VERSION,
                "mode": "demo",
                "sequence": 7,
                "takenAt": "2026-03-01T08:00:00Z",
            });
            let text = format!("{header}\n{{\"sha256\": \"\"}}\n");

            let refused = parse(text.as_bytes()).expect_err("not read");

            let says = refused.to_string();
            assert!(matches!(
                refused,
                BackupError::UnknownFormat { found, known: FORMAT } if found == format
            ));
            assert!(
                says.ends_with("restore it with the program that made it"),
                "{says}"
            );
        }
    }

    #[test]
    fn a_schema_that_is_not_known_is_refused() {
        for schema in [0, SCHEMA_VERSION + 1] {
            let (text, _) = written(schema, &[entry(EntryPath::Records)], &[]);

            let refused = parse(&text);
            assert!(matches!(
                refused,
                Err(BackupError::UnknownSchema { found }) if found == schema
            ));
        }
    }
}
