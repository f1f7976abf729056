//! Incremental updates: objects, a cross-reference section in the newest form,
//! and the trailer (ISO 32000-2, 7.5.4 to 7.5.8).

use std::collections::BTreeMap;

use lopdf::ObjectId;
use parafa_format_core::{Refusal, refusal};

use super::edits::Edits;
use super::syntax::{hex_string, stream};
use crate::object_numbers::ObjectNumbers;
use crate::structure::{PdfFile, XrefForm};

/// Trailer entries of a single section, not copied to updates (ISO 32000-2,
/// tables 5, 15, 17 and 19).
const OWN_TRAILER_KEYS: [&[u8]; 14] = [
    b"DL",
    b"DecodeParms",
    b"F",
    b"FDecodeParms",
    b"FFilter",
    b"Filter",
    b"ID",
    b"Index",
    b"Length",
    b"Prev",
    b"Size",
    b"Type",
    b"W",
    b"XRefStm",
];

/// Returns an incremental update: the bytes to append to the document.
/// `identifier` becomes the second element of its `/ID` (14.4).
pub(crate) fn append(edits: Edits<'_, '_>, identifier: &[u8]) -> Result<Vec<u8>, Refusal> {
    let (file, objects, numbers) = edits.into_parts();
    let mut update = Update {
        numbers,
        ..Update::new(file)
    };
    for (id, edit) in &objects {
        update.object(*id, &edit.written())?;
    }
    update.finish(identifier)
}

/// An incremental update under construction.
pub(crate) struct Update<'a> {
    file: &'a PdfFile<'a>,
    bytes: Vec<u8>,
    numbers: ObjectNumbers,
    /// Offset and generation by object number.
    entries: BTreeMap<u32, (u32, u16)>,
}

impl<'a> Update<'a> {
    pub(crate) fn new(file: &'a PdfFile<'a>) -> Self {
        // The last line of the document may lack its end-of-line marker. After
        // a lone CR, the next byte must not be LF: both would form one marker.
        let bytes = match file.bytes().last() {
            Some(b'\n' | b'\r') => Vec::new(),
            _ => b"\n".to_vec(),
        };
        Self {
            file,
            bytes,
            numbers: ObjectNumbers::after(file),
            entries: BTreeMap::new(),
        }
    }

    /// Allocates an unused number.
    pub(crate) fn allocate(&mut self) -> Result<ObjectId, Refusal> {
        self.numbers.allocate()
    }

    /// Writes a new object, or a new version of an existing one. Returns the
    /// offset of its value in the update.
    pub(crate) fn object(&mut self, id: ObjectId, value: &[u8]) -> Result<usize, Refusal> {
        self.begin(id)?;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.bytes.extend_from_slice(b"\nendobj\n");
        Ok(start)
    }

    /// Writes a stream; `entries` are its dictionary entries without `/Length`.
    pub(crate) fn stream(
        &mut self,
        id: ObjectId,
        entries: &str,
        data: &[u8],
    ) -> Result<(), Refusal> {
        let dictionary = format!("<< {entries} /Length {} >>", data.len());
        self.object(id, &stream(dictionary.as_bytes(), data))
            .map(|_| ())
    }

    /// Writes cross-reference section and trailer. `id` becomes the second
    /// element of `/ID`.
    pub(crate) fn finish(mut self, id: &[u8]) -> Result<Vec<u8>, Refusal> {
        let trailer = self.carried_trailer(id);
        let start = match self.file.newest_section().form {
            XrefForm::Stream => self.xref_stream(&trailer)?,
            XrefForm::Table | XrefForm::Hybrid => self.xref_table(&trailer),
        };
        self.bytes
            .extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        Ok(self.bytes)
    }

    fn begin(&mut self, id: ObjectId) -> Result<(), Refusal> {
        let (number, generation) = id;
        let offset = u32::try_from(self.position()).map_err(|_| {
            Refusal::new(refusal::BAD_REQUEST, "The document is longer than 4 GiB.")
        })?;
        self.entries.insert(number, (offset, generation));
        self.bytes
            .extend_from_slice(format!("{number} {generation} obj\n").as_bytes());
        Ok(())
    }

    /// Returns the offset of the next byte in the document.
    fn position(&self) -> usize {
        self.file.bytes().len() + self.bytes.len()
    }

    /// Returns the entries of the newest trailer that an update copies, as
    /// written, and `/ID`: its first element stays, its second is new (ISO
    /// 32000-2, 14.4).
    fn carried_trailer(&self, id: &[u8]) -> Vec<u8> {
        let mut carried = Vec::new();
        for (key, value) in self.file.trailer_entries() {
            if !OWN_TRAILER_KEYS.contains(&key) {
                carried.extend_from_slice(&[b"\n/", key, b" ", value].concat());
            }
        }
        let new = hex_string(id);
        let first = self
            .file
            .first_file_identifier()
            .map_or_else(|| new.clone(), |first| hex_string(&first));
        carried.extend_from_slice(format!("\n/ID [{first} {new}]").as_bytes());
        carried
    }

    fn xref_table(&mut self, trailer: &[u8]) -> usize {
        let start = self.position();
        self.bytes
            .extend_from_slice(b"xref\n0 1\n0000000000 65535 f\r\n");
        for (first, run) in runs(&self.entries) {
            self.bytes
                .extend_from_slice(format!("{first} {}\n", run.len()).as_bytes());
            for (offset, generation) in run {
                self.bytes
                    .extend_from_slice(format!("{offset:010} {generation:05} n\r\n").as_bytes());
            }
        }
        let own = format!(
            "trailer\n<< /Size {} /Prev {}",
            self.numbers.next(),
            self.file.newest_table_offset()
        );
        self.bytes
            .extend_from_slice(&[own.as_bytes(), trailer, b"\n>>\n"].concat());
        start
    }

    fn xref_stream(&mut self, trailer: &[u8]) -> Result<usize, Refusal> {
        const IN_USE: u8 = 1;

        let id = self.allocate()?;
        let start = self.position();
        self.begin(id)?;
        let mut index = Vec::new();
        let mut data = Vec::new();
        for (first, run) in runs(&self.entries) {
            index.push(format!("{first} {}", run.len()));
            for (offset, generation) in run {
                data.push(IN_USE);
                data.extend_from_slice(&offset.to_be_bytes());
                data.extend_from_slice(&generation.to_be_bytes());
            }
        }
        let own = format!(
            "<< /Type /XRef /Size {} /Prev {} /W [1 4 2] /Index [{}] /Length {}",
            self.numbers.next(),
            self.file.newest_table_offset(),
            index.join(" "),
            data.len()
        );
        let parts: [&[u8]; 5] = [
            own.as_bytes(),
            trailer,
            b"\n>>\nstream\n",
            &data,
            b"\nendstream\nendobj\n",
        ];
        self.bytes.extend_from_slice(&parts.concat());
        Ok(start)
    }
}

/// Groups entries with consecutive numbers, by their first number.
fn runs(entries: &BTreeMap<u32, (u32, u16)>) -> Vec<(u32, Vec<(u32, u16)>)> {
    let mut runs: Vec<(u32, Vec<(u32, u16)>)> = Vec::new();
    let mut expected = None;
    for (number, entry) in entries {
        match runs.last_mut() {
            Some((_, run)) if expected == Some(*number) => run.push(*entry),
            _ => runs.push((*number, vec![*entry])),
        }
        expected = number.checked_add(1);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_share_a_subsection() {
        let entries = [(3, (30, 0)), (4, (40, 2)), (9, (90, 0))]
            .into_iter()
            .collect();

        assert_eq!(
            runs(&entries),
            [(3, vec![(30, 0), (40, 2)]), (9, vec![(90, 0)])]
        );
    }
}
