//! What a backup holds, and the digest of every file.
//!
//! A line of JSON each: what kind of backup it is, every file, and the SHA-256 digest of the
//! lines before. The last one is missing where the file is cut off.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::copy::is_below;
use super::{BackupError, failed_to};
use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::schema::{SCHEMA_VERSION, StoreMode};

/// Name of the file.
const NAME: &str = "manifest.jsonl";
/// The layout that this program writes and reads.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Manifest {
    pub(super) header: Header,
    pub(super) entries: Vec<Entry>,
}

/// The first line.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    format: u32,
    /// The store's schema version.
    schema: u32,
    /// What the store was made for.
    pub(super) mode: StoreMode,
    /// The last commit.
    pub(super) sequence: u64,
    /// When the backup was complete, by the store's clock.
    pub(super) taken_at: Timestamp,
}

/// A file.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Entry {
    /// Where it is in the backup.
    pub(super) path: PathBuf,
    /// Its length.
    pub(super) bytes: u64,
    pub(super) sha256: Sha256Digest,
}

/// The last line.
#[derive(Deserialize, Serialize)]
struct Seal {
    sha256: Sha256Digest,
}

impl Header {
    pub(super) fn new(schema: u32, mode: StoreMode, sequence: u64, taken_at: Timestamp) -> Self {
        Self {
            format: FORMAT,
            schema,
            mode,
            sequence,
            taken_at,
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

impl Manifest {
    /// Writes the file, and with it makes the folder a backup.
    pub(super) fn write(&self, folder: &Path) -> Result<(), BackupError> {
        let path = folder.join(NAME);
        let failed = |error: serde_json::Error| failed_to("write", &path)(error.into());
        let mut text = Vec::new();
        line(&mut text, &self.header).map_err(failed)?;
        for entry in &self.entries {
            line(&mut text, entry).map_err(failed)?;
        }
        let seal = Seal {
            sha256: Sha256Digest::of(&text),
        };
        line(&mut text, &seal).map_err(failed)?;
        let temporary = folder.join(format!("{NAME}.new"));
        files::write_new(&temporary, &path, &text).map_err(failed_to("write", &path))
    }

    /// Reads the file; no other is looked at.
    pub(super) fn read(folder: &Path) -> Result<Self, BackupError> {
        let path = folder.join(NAME);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BackupError::NotWhole {
                    folder: folder.to_owned(),
                    what: format!("{NAME} is missing, which is written last"),
                });
            }
            read => read.map_err(failed_to("read", &path))?,
        };
        Self::parse(&text, &path)
    }

    fn parse(text: &[u8], path: &Path) -> Result<Self, BackupError> {
        let damaged = |what| BackupError::Damaged {
            path: path.to_owned(),
            what,
        };
        let cut_off = || damaged("cut off");
        let lines = text.strip_suffix(b"\n").ok_or_else(cut_off)?;
        let last = lines.iter().rposition(|byte| *byte == b'\n');
        let (sealed, seal) = text.split_at(last.ok_or_else(cut_off)? + 1);
        let seal: Seal = parse_line(seal).ok_or_else(cut_off)?;
        if seal.sha256 != Sha256Digest::of(sealed) {
            return Err(damaged("not as it was written"));
        }
        let mut lines = sealed.split_inclusive(|byte| *byte == b'\n');
        let header = lines.next().and_then(parse_line::<Header>);
        let header = header.ok_or_else(|| damaged("no list of files"))?;
        header.check()?;
        let entries = lines.map(parse_line::<Entry>);
        let entries: Option<Vec<Entry>> = entries.collect();
        let entries = entries
            .filter(|entries| entries.iter().all(|entry| is_below(&entry.path)))
            .ok_or_else(|| damaged("no list of files"))?;
        Ok(Self { header, entries })
    }
}

fn line(text: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *text, value)?;
    text.push(b'\n');
    Ok(())
}

fn parse_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(schema: u32, path: &str) -> Manifest {
        Manifest {
            header: Header::new(
                schema,
                StoreMode::Demo,
                7,
                "2026-03-01T08:00:00Z".parse().expect("a time"),
            ),
            entries: vec![Entry {
                path: path.into(),
                bytes: 3,
                sha256: Sha256Digest::of(b"abc"),
            }],
        }
    }

    fn written(manifest: &Manifest) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        manifest.write(folder.path()).expect("written");
        std::fs::read(folder.path().join(NAME)).expect("the file")
    }

    fn parse(text: &[u8]) -> Result<Manifest, BackupError> {
        Manifest::parse(text, Path::new(NAME))
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let manifest = manifest(SCHEMA_VERSION, "records");

        assert_eq!(parse(&written(&manifest)).expect("read"), manifest);
    }

    #[test]
    fn a_manifest_that_is_cut_off_or_changed_anywhere_is_damaged() {
        let text = written(&manifest(SCHEMA_VERSION, "records"));
        for at in 0..text.len() {
            assert!(
                matches!(parse(&text[..at]), Err(BackupError::Damaged { .. })),
                "cut at {at}"
            );
            let mut changed = text.clone();
            changed[at] ^= 1;
            let parsed = parse(&changed);
            assert!(
                matches!(parsed, Err(BackupError::Damaged { .. })),
                "changed at {at}: {parsed:?}"
            );
        }
    }

    #[test]
    fn a_path_out_of_the_backup_is_refused() {
        for path in ["../records", "/etc/passwd", ""] {
            let text = written(&manifest(SCHEMA_VERSION, path));

            assert!(matches!(parse(&text), Err(BackupError::Damaged { .. })));
        }
    }

    #[test]
    fn a_schema_that_is_not_known_is_refused() {
        for schema in [0, SCHEMA_VERSION + 1] {
            let text = written(&manifest(schema, "records"));

            let refused = parse(&text);
            assert!(matches!(
                refused,
                Err(BackupError::UnknownSchema { found }) if found == schema
            ));
        }
    }
}
