//! A document written anew as one revision (ISO 32000-2, 7.5).
//!
//! Objects keep their numbers and their source; what nothing refers to any
//! more is left out. The cross-reference table is one subsection without gaps,
//! because some readers take no other for the base of later updates.

use std::borrow::Cow;

use lopdf::{Object, ObjectId};
use parafa_format_core::{Blob, Refusal, Sink};

use super::edits::Edits;
use super::syntax::{hex_string, reference};
use crate::structure::{PdfFile, RawDictionary, as_reference, references};

/// Data of a stream from this length on is copied by the host, in bytes.
const COPIED_BYTES: usize = 4 * 1024;

/// How much is written at once, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// Most entries of the table for each object, with the first
/// [`FREE_ENTRIES`] on top.
const ENTRIES_PER_OBJECT: usize = 16;

/// Free entries that any table may have.
const FREE_ENTRIES: usize = 100_000;

/// Writes a document with its changes; `identifier` becomes the second element
/// of its `/ID` (14.4).
///
/// # Errors
/// `too-many-objects` when the numbers of the objects are too far apart.
pub(crate) fn rewrite<B: Blob, S: Sink<B>>(
    document: &B,
    edits: &Edits<'_, '_>,
    identifier: &[u8],
    out: &mut S,
) -> Result<(), Refusal> {
    let file = edits.file();
    let trailer = Trailer::of(file);
    file.newest().renew_values(file.limits());
    let live = live_objects(edits, &trailer);
    let numbers = live.iter().zip(0_u32..).filter(|(is_live, _)| **is_live);
    let numbers: Vec<u32> = numbers.map(|(_, number)| number).collect();
    let size = numbers.last().map_or(1, |last| *last as usize + 1);
    if size > numbers.len() * ENTRIES_PER_OBJECT + FREE_ENTRIES {
        return Err(Refusal::new(
            "too-many-objects",
            "The numbers of the document's objects are too far apart to be written anew.",
        ));
    }

    let mut writer = Writer {
        document,
        out,
        buffer: Vec::with_capacity(BUFFER_BYTES),
        written: 0,
    };
    writer.write(format!("%PDF-{}\n%", file.header_version()).as_bytes());
    writer.write(&[0xE2, 0xE3, 0xCF, 0xD3, b'\n']);
    let mut entries = vec![FREE_ENTRY; size];
    for number in numbers {
        let id = (number, generation(edits, number));
        let offset = writer.position();
        if writer.object(edits, id)?
            && let Some(entry) = entries.get_mut(number as usize)
        {
            *entry = in_use(offset, id.1);
        }
    }
    let start = writer.position();
    writer.write(format!("xref\n0 {size}\n").as_bytes());
    for entry in &entries {
        writer.write(entry);
    }
    writer.write(&trailer.written(file, size, identifier));
    writer.write(format!("startxref\n{start}\n%%EOF\n").as_bytes());
    writer.flush();
    Ok(())
}

/// An entry of the table (7.5.4).
type Entry = [u8; 20];

/// An object that is not in use and never will be.
const FREE_ENTRY: Entry = *b"0000000000 65535 f\r\n";

fn in_use(offset: u64, generation: u16) -> Entry {
    let written = format!("{offset:010} {generation:05} n\r\n");
    // A document of 10 GB or more does not come here.
    written.as_bytes().try_into().unwrap_or(FREE_ENTRY)
}

/// What the trailer carries on: what else it says is of the old file.
struct Trailer<'a> {
    root: ObjectId,
    information: Option<&'a [u8]>,
}

impl<'a> Trailer<'a> {
    fn of(file: &PdfFile<'a>) -> Self {
        let entries = file.trailer_entries();
        let information = entries.into_iter().find(|(key, _)| *key == b"Info");
        Self {
            root: file.catalog_id(),
            information: information.map(|(_, value)| value),
        }
    }

    fn written(&self, file: &PdfFile<'_>, size: usize, identifier: &[u8]) -> Vec<u8> {
        let new = hex_string(identifier);
        let first = file
            .first_file_identifier()
            .map_or_else(|| new.clone(), |first| hex_string(&first));
        let mut trailer = format!(
            "trailer\n<< /Size {size}\n/Root {}\n/ID [{first} {new}]",
            reference(self.root)
        )
        .into_bytes();
        if let Some(information) = self.information {
            trailer.extend_from_slice(&[b"\n/Info ", information].concat());
        }
        trailer.extend_from_slice(b"\n>>\n");
        trailer
    }
}

/// Which objects can be reached from the trailer, by their numbers.
fn live_objects(edits: &Edits<'_, '_>, trailer: &Trailer<'_>) -> Vec<bool> {
    let file = edits.file();
    let mut live = Vec::new();
    let mut open = vec![trailer.root.0];
    let information = trailer.information.map(references);
    open.extend(information.into_iter().flatten().flatten());
    while let Some(number) = open.pop() {
        let id = (number, generation(edits, number));
        let edit = edits.get(id);
        let object = file.object(id);
        if edit.is_none() && object.is_none_or(is_of_the_old_file) {
            continue;
        }
        let index = number as usize;
        if live.len() <= index {
            live.resize(index + 1, false);
        }
        match live.get_mut(index) {
            Some(is_live @ false) => *is_live = true,
            _ => continue,
        }
        match (edit, object) {
            (Some(edit), _) => open.extend(references(&edit.value).unwrap_or_default()),
            (None, Some(object)) => each_reference(object, |id| open.push(id.0)),
            (None, None) => {}
        }
    }
    live
}

/// Whether an object is about the old file's layout.
fn is_of_the_old_file(object: &Object) -> bool {
    matches!(object, Object::Stream(stream)
        if stream.dict.has_type(b"ObjStm") || stream.dict.has_type(b"XRef"))
}

/// Calls with every reference inside an object.
fn each_reference(object: &Object, mut call: impl FnMut(ObjectId)) {
    let mut open = vec![object];
    while let Some(object) = open.pop() {
        match object {
            Object::Reference(id) => call(*id),
            Object::Array(items) => open.extend(items),
            Object::Dictionary(entries) => open.extend(entries.iter().map(|(_, value)| value)),
            Object::Stream(stream) => open.extend(stream.dict.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

fn generation(edits: &Edits<'_, '_>, number: u32) -> u16 {
    edits.file().newest().generation(number).unwrap_or(0)
}

/// The output with its position.
struct Writer<'w, B: Blob, S: Sink<B>> {
    document: &'w B,
    out: &'w mut S,
    buffer: Vec<u8>,
    /// Bytes that left the buffer.
    written: u64,
}

impl<B: Blob, S: Sink<B>> Writer<'_, B, S> {
    fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush();
        }
        if bytes.len() > BUFFER_BYTES {
            self.out.write(bytes);
            self.written += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
    }

    fn copy(&mut self, offset: usize, len: usize) {
        self.flush();
        self.out.copy(self.document, offset as u64, len as u64);
        self.written += len as u64;
    }

    fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.out.write(&self.buffer);
            self.written += self.buffer.len() as u64;
            self.buffer.clear();
        }
    }

    /// Writes an object; one that says nothing is left out.
    fn object(&mut self, edits: &Edits<'_, '_>, id: ObjectId) -> Result<bool, Refusal> {
        let (number, generation) = id;
        let header = format!("{number} {generation} obj\n");
        if let Some(edit) = edits.get(id) {
            self.write(header.as_bytes());
            self.write(&edit.written());
        } else {
            let file = edits.file();
            let source = file.raw_object(id)?;
            if *source.bytes == *b"null" {
                return Ok(false);
            }
            self.write(header.as_bytes());
            match source.data_span {
                None => self.write(&source.bytes),
                Some(span) => {
                    self.write(&with_direct_length(&source.bytes, span.len())?);
                    self.write(b"\nstream\n");
                    match file.source().get(span.clone()) {
                        Some(data) if data.len() < COPIED_BYTES => self.write(data),
                        _ => self.copy(span.start, span.len()),
                    }
                    self.write(b"\nendstream");
                }
            }
        }
        self.write(b"\nendobj\n");
        Ok(true)
    }
}

/// A stream dictionary whose length stands in itself: as an object of its own
/// it may be out of reach.
fn with_direct_length(dictionary: &[u8], length: usize) -> Result<Cow<'_, [u8]>, Refusal> {
    let scanned = RawDictionary::scan(dictionary)
        .map_err(|_| Refusal::new("object-damaged", "A stream dictionary cannot be read."))?;
    let is_reference = scanned.value(b"Length").and_then(as_reference).is_some();
    Ok(if is_reference {
        scanned
            .with(b"Length", length.to_string().as_bytes())
            .into()
    } else {
        dictionary.into()
    })
}
