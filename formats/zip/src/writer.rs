use parafa_format_core::{Blob, Sink};

use crate::Error;
use crate::archive::Archive;
use crate::end_record::END;
use crate::entry::{CENTRAL, Entry, LOCAL, LOCAL_BYTES, STORED, UTF8};
use crate::time::dos_time;

/// Writes an archive: new members, stored, and unchanged entries of another
/// archive.
///
/// The output depends only on the inputs; member times are those of the
/// request. Nothing else may write to the sink.
#[derive(Debug)]
pub struct Writer<'a, B, S> {
    sink: &'a mut S,
    /// Bytes written so far.
    offset: u64,
    directory: Vec<u8>,
    entries: u64,
    /// Time and date of new members.
    time: (u16, u16),
    blob: std::marker::PhantomData<B>,
}

/// Bytes of a new member.
#[derive(Debug)]
pub enum Content<'a, B> {
    /// In memory.
    Bytes(&'a [u8]),
    /// A whole document, with its CRC-32.
    Blob {
        /// The document.
        source: &'a B,
        /// CRC-32 of the bytes.
        crc32: u32,
    },
}

impl<'a, B: Blob, S: Sink<B>> Writer<'a, B, S> {
    /// Starts an empty archive. `time` is the time of new members, in seconds
    /// since the Unix epoch.
    pub fn new(sink: &'a mut S, time: i64) -> Self {
        Self {
            sink,
            offset: 0,
            directory: Vec::new(),
            entries: 0,
            time: dos_time(time),
            blob: std::marker::PhantomData,
        }
    }

    /// Continues after the last entry of an archive. Everything up to its
    /// central directory is copied at once, and its directory entries stay
    /// unchanged.
    pub fn append(sink: &'a mut S, time: i64, source: &B, archive: &Archive) -> Self {
        sink.copy(source, 0, archive.directory_offset);
        Self {
            offset: archive.directory_offset,
            directory: archive.directory.clone(),
            entries: archive.entries.len() as u64,
            ..Self::new(sink, time)
        }
    }

    /// Copies an entry of an archive with header and data.
    ///
    /// # Errors
    /// The archive becomes too long.
    pub fn keep(&mut self, source: &B, entry: &Entry) -> Result<(), Error> {
        let central = entry.central_at(self.offset).ok_or(Error::TooLong)?;
        let len = entry.end - entry.offset;
        self.sink.copy(source, entry.offset, len);
        self.offset += len;
        self.directory.extend(central);
        self.entries += 1;
        Ok(())
    }

    /// Adds a stored member.
    ///
    /// # Errors
    /// The archive becomes too long.
    pub fn add(&mut self, name: &str, content: &Content<'_, B>) -> Result<(), Error> {
        let (crc32, size) = match content {
            Content::Bytes(bytes) => (crc32fast::hash(bytes), bytes.len() as u64),
            Content::Blob { source, crc32 } => (*crc32, source.len()),
        };
        let name_len = u16::try_from(name.len()).map_err(|_| Error::TooLong)?;
        let size32 = short(size)?;
        let offset32 = short(self.offset)?;

        let fields = self.fields(name, crc32, size32, name_len);
        self.sink
            .write(&[&LOCAL, fields.as_slice(), name.as_bytes()].concat());
        match content {
            Content::Bytes(bytes) => self.sink.write(bytes),
            Content::Blob { source, .. } => self.sink.copy(source, 0, size),
        }
        self.offset += LOCAL_BYTES + u64::from(name_len) + size;

        // Made by version 2.0, on a system without file attributes.
        self.directory.extend(CENTRAL);
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(fields);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset32.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
        Ok(())
    }

    /// Writes the central directory and the end record.
    ///
    /// # Errors
    /// The archive is too long.
    pub fn finish(self, comment: &[u8]) -> Result<(), Error> {
        let entries = u16::try_from(self.entries)
            .ok()
            .filter(|count| *count != u16::MAX);
        let entries = entries.ok_or(Error::TooLong)?.to_le_bytes();
        let directory_bytes = short(self.directory.len() as u64)?.to_le_bytes();
        let directory_offset = short(self.offset)?.to_le_bytes();
        let comment_len = u16::try_from(comment.len()).map_err(|_| Error::TooLong)?;
        let mut end = self.directory;
        end.extend(END);
        end.extend([0; 4]);
        end.extend([entries, entries].concat());
        end.extend([directory_bytes, directory_offset].concat());
        end.extend(comment_len.to_le_bytes());
        end.extend(comment);
        self.sink.write(&end);
        Ok(())
    }

    /// Returns the fields shared by local header and central directory entry of
    /// a new member: version needed, flags, method, time, CRC-32, sizes,
    /// lengths of name and extra field.
    fn fields(&self, name: &str, crc32: u32, size: u32, name_len: u16) -> Vec<u8> {
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        let (time, date) = self.time;
        let mut fields = Vec::new();
        for short in [VERSION, flags, STORED, time, date] {
            fields.extend(short.to_le_bytes());
        }
        for long in [crc32, size, size] {
            fields.extend(long.to_le_bytes());
        }
        for short in [name_len, 0] {
            fields.extend(short.to_le_bytes());
        }
        fields
    }
}

/// Version 2.0, required for folders and DEFLATE.
const VERSION: u16 = 20;

/// Returns a value that needs no ZIP64 field.
fn short(value: u64) -> Result<u32, Error> {
    let short = u32::try_from(value).ok().filter(|short| *short != u32::MAX);
    short.ok_or(Error::TooLong)
}
