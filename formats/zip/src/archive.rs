use std::collections::HashSet;

use parafa_format_core::{Blob, Note};

use crate::end_record::{EndRecord, read_exactly};
use crate::entry::Entry;
use crate::fields::Fields;
use crate::name::is_usable;
use crate::{Error, Limits};

/// An archive in which every byte has one meaning: local headers and data of
/// consecutive entries from the first byte on, the central directory, and the
/// end record. Data is not examined.
#[derive(Clone, Debug)]
pub struct Archive {
    /// In the order of their data.
    pub(crate) entries: Vec<Entry>,
    /// The central directory, byte for byte.
    pub(crate) directory: Vec<u8>,
    pub(crate) directory_offset: u64,
    pub(crate) comment: Vec<u8>,
    notes: Vec<Note>,
}

impl Archive {
    /// Reads end record, central directory and local headers.
    ///
    /// # Errors
    /// The archive is damaged, is ambiguous for readers, has unsupported
    /// members, or exceeds a limit.
    pub fn read<B: Blob>(blob: &B, limits: &Limits) -> Result<Self, Error> {
        let end = EndRecord::find(blob, limits)?;
        let directory = read_exactly(blob, end.directory_offset, end.directory_bytes)?;
        let mut entries = read_directory(&directory, end.entries)?;
        check_names(&entries, limits)?;
        check_sizes(&entries, blob.len(), limits)?;

        entries.sort_by_key(|entry| entry.offset);
        if entries
            .first()
            .map_or(end.directory_offset, |first| first.offset)
            != 0
        {
            return Err(Error::Ambiguous("something stands before its first entry"));
        }
        let offsets = entries.iter().skip(1).map(|entry| entry.offset);
        let limits: Vec<u64> = offsets.chain([end.directory_offset]).collect();
        for (entry, limit) in entries.iter_mut().zip(limits) {
            entry.read_local_header(blob, limit)?;
        }
        let notes = notes(&entries);
        Ok(Self {
            entries,
            directory,
            directory_offset: end.directory_offset,
            comment: end.comment,
            notes,
        })
    }

    /// Returns members and folders, in the order of their data.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the members, without folders.
    pub fn members(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.is_folder())
    }

    /// Returns the member with a name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Entry> {
        self.members().find(|entry| entry.name == name)
    }

    /// Returns the offset of the central directory.
    #[must_use]
    pub fn directory_offset(&self) -> u64 {
        self.directory_offset
    }

    /// Returns the comment of the archive.
    #[must_use]
    pub fn comment(&self) -> &[u8] {
        &self.comment
    }

    /// Returns the notes: `name-collision`, `name-encoding`.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

fn read_directory(directory: &[u8], count: u64) -> Result<Vec<Entry>, Error> {
    const MISCOUNTED: Error =
        Error::Ambiguous("its end record counts other entries than its central directory has");

    let mut fields = Fields::new(directory);
    let mut entries = Vec::new();
    while !fields.rest().is_empty() {
        if entries.len() as u64 == count {
            return Err(MISCOUNTED);
        }
        entries.push(Entry::read_central(&mut fields)?);
    }
    if entries.len() as u64 == count {
        Ok(entries)
    } else {
        Err(MISCOUNTED)
    }
}

fn check_names(entries: &[Entry], limits: &Limits) -> Result<(), Error> {
    let unusable: Vec<String> = entries
        .iter()
        .map(|entry| &entry.name)
        .filter(|name| name.len() > limits.name_bytes || !is_usable(name))
        .cloned()
        .collect();
    if !unusable.is_empty() {
        return Err(Error::Names(unusable));
    }
    let mut seen = HashSet::new();
    let duplicates: Vec<String> = entries
        .iter()
        .map(|entry| entry.name.as_str())
        .filter(|name| !seen.insert(name.trim_end_matches('/')))
        .map(str::to_owned)
        .collect();
    if duplicates.is_empty() {
        Ok(())
    } else {
        Err(Error::Duplicates(duplicates))
    }
}

fn check_sizes(entries: &[Entry], archive: u64, limits: &Limits) -> Result<(), Error> {
    let sizes = entries.iter().map(|entry| entry.size);
    let inflated = sizes.fold(0, u64::saturating_add);
    let suspicious = inflated > Limits::FREE_BYTES && inflated / limits.ratio > archive;
    if suspicious || inflated > limits.inflated_bytes {
        return Err(Error::Bomb { inflated, archive });
    }
    Ok(())
}

fn notes(entries: &[Entry]) -> Vec<Note> {
    let mut folded = HashSet::new();
    let mut notes = Vec::new();
    for entry in entries {
        let name = &entry.name;
        if !folded.insert(name.to_lowercase()) {
            let detail = format!("The name {name:?} differs from another one in case only.");
            notes.push(Note::new("name-collision", detail));
        }
        if !entry.says_utf8 && !name.is_ascii() {
            let detail = format!("The name {name:?} does not say that it is in UTF-8.");
            notes.push(Note::new("name-encoding", detail));
        }
    }
    notes
}
