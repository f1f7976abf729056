//! Rewrites a document as one revision (ISO 32000-2, 7.5).
//!
//! Objects keep their source, and their numbers unless these are sparse;
//! unreferenced objects are dropped. The cross-reference table is one
//! subsection without gaps, because some readers accept no other as the base of
//! later updates.

use std::borrow::Cow;

use lopdf::{Object, ObjectId};
use parafa_format_core::{Blob, Refusal, Sink};

use super::edits::Edits;
use super::numbering::{Numbering, generation};
use super::syntax::{hex_string, reference};
use crate::structure::{PdfFile, RawDictionary, as_reference, references};

/// Minimum length of stream data that the host copies, in bytes.
const COPIED_BYTES: usize = 4 * 1024;

/// Size of the output buffer, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// Writes a document with its changes; `identifier` becomes the second element
/// of its `/ID` (14.4).
///
/// # Errors
/// A refusal when an object cannot be read.
pub(crate) fn rewrite<B: Blob, S: Sink<B>>(
    document: &B,
    edits: &Edits<'_, '_>,
    identifier: &[u8],
    out: &mut S,
) -> Result<(), Refusal> {
    let file = edits.file();
    let information = Information::of(file);
    // Every object is read a second time, with a renewed budget.
    file.newest().renew_values(file.limits());
    let numbering = Numbering::of(file, &live_objects(edits, information.as_ref()));
    let mut writer = Writer {
        document,
        out,
        numbering: &numbering,
        buffer: Vec::with_capacity(BUFFER_BYTES),
        written: 0,
        longest: file.limits().document_bytes,
        table: Vec::new(),
    };
    writer.write(format!("%PDF-{}\n%", file.header_version()).as_bytes());
    writer.write(&[0xE2, 0xE3, 0xCF, 0xD3, b'\n']);
    for number in numbering.old_numbers() {
        writer.object(edits, (*number, generation(file, *number)))?;
    }
    let root = numbering.id(file.catalog_id()).map(reference);
    let mut entries = format!("\n/Root {}", root.unwrap_or_default());
    let new = hex_string(identifier);
    let first = file.first_file_identifier();
    let first = first.map_or_else(|| new.clone(), |first| hex_string(&first));
    entries.push_str(&format!("\n/ID [{first} {new}]"));
    if let Some(information) = &information
        && let Some(information) = writer.information(information)?
    {
        entries.push_str(&format!("\n/Info {information}"));
    }
    file.limits().require_length(writer.finish(&entries))
}

/// Table entry of an object that is not in use and never will be (7.5.4).
const FREE_ENTRY: &[u8] = b"0000000000 65535 f\r\n";

/// `/Info` of the old trailer (14.3.3).
enum Information<'a> {
    /// The dictionary itself, which must become an indirect object (table 15).
    Direct(&'a [u8]),
    Object(ObjectId),
}

impl<'a> Information<'a> {
    /// Other values are ignored.
    fn of(file: &PdfFile<'a>) -> Option<Self> {
        let entries = file.trailer_entries();
        let (_, value) = entries.into_iter().find(|(key, _)| *key == b"Info")?;
        match as_reference(value) {
            Some(id) => Some(Self::Object(id)),
            None => value.starts_with(b"<<").then_some(Self::Direct(value)),
        }
    }
}

/// Returns the objects reachable from the trailer, indexed by number.
fn live_objects(edits: &Edits<'_, '_>, information: Option<&Information<'_>>) -> Vec<bool> {
    let file = edits.file();
    let mut live = Vec::new();
    let mut open = vec![file.catalog_id().0];
    match information {
        None => {}
        Some(Information::Direct(value)) => open.extend(references(value).unwrap_or_default()),
        Some(Information::Object(id)) => open.push(id.0),
    }
    while let Some(number) = open.pop() {
        let id = (number, generation(file, number));
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

/// Returns whether an object describes the layout of the old file.
fn is_of_the_old_file(object: &Object) -> bool {
    matches!(object, Object::Stream(stream)
        if stream.dict.has_type(b"ObjStm") || stream.dict.has_type(b"XRef"))
}

/// Calls back for every reference inside an object.
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

/// Output with its position.
struct Writer<'w, B: Blob, S: Sink<B>> {
    document: &'w B,
    out: &'w mut S,
    numbering: &'w Numbering,
    buffer: Vec<u8>,
    /// Bytes flushed from the buffer, or counted as not fitting.
    written: u64,
    /// Maximum output length.
    longest: u64,
    /// Objects written, in order, with their offsets.
    table: Vec<(ObjectId, u64)>,
}

impl<B: Blob, S: Sink<B>> Writer<'_, B, S> {
    fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Counts bytes that do not fit, so that nothing fits after them.
    fn fits(&mut self, len: usize) -> bool {
        let fits = self.position().saturating_add(len as u64) <= self.longest;
        self.written += if fits { 0 } else { len as u64 };
        fits
    }

    fn write(&mut self, bytes: &[u8]) {
        if !self.fits(bytes.len()) {
            return;
        }
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
        if !self.fits(len) {
            return;
        }
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

    /// Writes an object of the old document or of the edits; skips null.
    fn object(&mut self, edits: &Edits<'_, '_>, old: ObjectId) -> Result<(), Refusal> {
        let Some(id) = self.numbering.id(old) else {
            return Ok(());
        };
        if let Some(edit) = edits.get(old) {
            self.begin(id);
            self.write(&self.numbering.renumbered(&edit.value)?);
            if let Some(data) = &edit.data {
                self.write(b"\nstream\n");
                self.write(data);
                self.write(b"\nendstream");
            }
        } else {
            let file = edits.file();
            let source = file.raw_object(old)?;
            if *source.bytes == *b"null" {
                return Ok(());
            }
            self.begin(id);
            match source.data_span {
                None => self.write(&self.numbering.renumbered(&source.bytes)?),
                Some(span) => {
                    let dictionary = with_direct_length(&source.bytes, span.len())?;
                    self.write(&self.numbering.renumbered(&dictionary)?);
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
        Ok(())
    }

    fn begin(&mut self, id: ObjectId) {
        self.table.push((id, self.position()));
        let (number, generation) = id;
        self.write(format!("{number} {generation} obj\n").as_bytes());
    }

    /// Writes `/Info` if it must become an object and returns the reference;
    /// `None` without information.
    fn information(&mut self, information: &Information<'_>) -> Result<Option<String>, Refusal> {
        match information {
            Information::Object(old) => Ok(self.numbering.id(*old).map(reference)),
            Information::Direct(value) => {
                let id = (self.numbering.next(), 0);
                self.begin(id);
                self.write(&self.numbering.renumbered(value)?);
                self.write(b"\nendobj\n");
                Ok(Some(reference(id)))
            }
        }
    }

    /// Writes table and trailer with the given entries and `/Size`. Returns the
    /// file length.
    fn finish(mut self, entries: &str) -> u64 {
        let start = self.position();
        let table = std::mem::take(&mut self.table);
        let size = table
            .last()
            .map_or(1, |((last, _), _)| last.saturating_add(1));
        self.write(format!("xref\n0 {size}\n").as_bytes());
        let mut next = 0;
        for ((number, generation), offset) in table {
            for _ in next..number {
                self.write(FREE_ENTRY);
            }
            self.write(format!("{offset:010} {generation:05} n\r\n").as_bytes());
            next = number + 1;
        }
        let trailer = format!("trailer\n<< /Size {size}{entries}\n>>\nstartxref\n{start}\n%%EOF\n");
        self.write(trailer.as_bytes());
        self.flush();
        self.position()
    }
}

/// Returns a stream dictionary with a direct length: an indirect one may be
/// unreachable.
fn with_direct_length(dictionary: &[u8], length: usize) -> Result<Cow<'_, [u8]>, Refusal> {
    if has_plain_length(dictionary) {
        return Ok(dictionary.into());
    }
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

/// Returns whether every possible `/Length` is clearly a number, as in most
/// dictionaries; the others must be scanned.
fn has_plain_length(dictionary: &[u8]) -> bool {
    const LENGTH: &[u8] = b"/Length";

    let is_plain = |found: usize| {
        let value = dictionary.get(found + LENGTH.len()..).unwrap_or_default();
        let value = value.trim_ascii_start();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
        let after = value.get(digits.count()..).unwrap_or_default();
        let is_number = value.first().is_some_and(u8::is_ascii_digit);
        is_number && matches!(after.trim_ascii_start().first(), Some(b'/' | b'>'))
    };
    memchr::memchr(b'#', dictionary).is_none()
        && memchr::memmem::find_iter(dictionary, LENGTH).all(is_plain)
}
