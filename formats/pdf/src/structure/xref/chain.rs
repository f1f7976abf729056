//! From the last `startxref` back to the first revision.

use std::collections::BTreeSet;

use memchr::memmem;
use parafa_format_core::Refusal;

use super::section::{self, Allowance, MAX_OBJECT_NUMBER, Parsed, SectionError};
use super::{XrefEntry, XrefForm, XrefSection};
use crate::limits::Limits;
use crate::structure::decode::{DecodeError, Decoder};
use crate::structure::dictionary::RawDictionary;
use crate::structure::refusal;
use crate::structure::scan::{Budget, ScanError, Scanner};

const END_OF_FILE: &[u8] = b"%%EOF";
const START_XREF: &[u8] = b"startxref";

/// All sections that the last `startxref` leads to.
pub(crate) struct Chain {
    /// The newest first.
    pub(crate) sections: Vec<XrefSection>,
    /// Just after the last `%%EOF` and its end-of-line marker.
    pub(crate) end: usize,
}

/// Reads the chain of sections that the last `startxref` begins.
pub(crate) fn read_chain(bytes: &[u8], limits: &Limits) -> Result<Chain, Refusal> {
    let marker = memmem::rfind(bytes, END_OF_FILE).ok_or_else(|| damaged("The file has no %%EOF."))?;
    let marker_end = marker + END_OF_FILE.len();
    let end = after_line_end(bytes, marker_end);
    if memmem::find(bytes.get(end..).unwrap_or_default(), START_XREF).is_some() {
        return Err(ambiguous("Another startxref follows the last %%EOF."));
    }
    let start = memmem::rfind(bytes.get(..marker).unwrap_or_default(), START_XREF)
        .ok_or_else(|| damaged("The file has no startxref."))?;
    let (newest, completed) =
        completion(bytes, start).ok_or_else(|| damaged("There is no offset between the last startxref and %%EOF."))?;
    if completed != marker_end {
        return Err(ambiguous("The last startxref does not belong to the last %%EOF."));
    }
    let sections = follow(bytes, newest, limits)?;
    if !sections.iter().any(|section| section.revision_end == end) {
        return Err(ambiguous("The last startxref and %%EOF do not complete a cross-reference section."));
    }
    Ok(Chain { sections, end })
}

fn follow(bytes: &[u8], newest: usize, limits: &Limits) -> Result<Vec<XrefSection>, Refusal> {
    let mut allowance =
        Allowance { budget: Budget::new(limits), decoder: Decoder::new(limits), entries: limits.entries };
    let mut sections: Vec<XrefSection> = Vec::new();
    let mut completions = Vec::new();
    let mut visited = BTreeSet::new();
    let mut next = Some(newest);
    while let Some(offset) = next {
        if !visited.insert(offset) {
            return Err(damaged("The cross-reference sections lead back to one another."));
        }
        if sections.len() >= limits.sections {
            return Err(Refusal::new("too-many-objects", "The file has too many cross-reference sections."));
        }
        if sections.last().is_some_and(|newer| newer.offset < offset) && !is_linearized(bytes, limits) {
            return Err(ambiguous("An older cross-reference section comes after a newer one."));
        }
        let (section, prev, startxref) = complete_section(bytes, offset, &mut allowance)?;
        completions.push(startxref);
        sections.push(section);
        next = prev;
    }
    // The first-page section of a linearized file has 0 there, its main section
    // the offset of the first-page section (ISO 32000-2, F.3.4).
    if completions.iter().any(|offset| *offset != 0 && !visited.contains(offset)) {
        return Err(ambiguous("A startxref does not name its own cross-reference section."));
    }
    Ok(sections)
}

fn complete_section(
    bytes: &[u8],
    offset: usize,
    allowance: &mut Allowance,
) -> Result<(XrefSection, Option<usize>, usize), Refusal> {
    let refuse = |error| section_refusal(error, offset);
    let Parsed { mut entries, trailer, stream_number, end } = section::read(bytes, offset, allowance).map_err(refuse)?;
    let source = bytes.get(trailer.clone()).unwrap_or_default();
    let dictionary = RawDictionary::scan(source).map_err(|error| refuse(error.into()))?;
    // An update carries the entries on by their written keys.
    if dictionary.entries().iter().any(|entry| !source.get(entry.span.start + 1..).is_some_and(|key| key.starts_with(&entry.key))) {
        return Err(ambiguous(format!("The trailer of the section at byte {offset} has escaped keys.")));
    }
    let size = dictionary.unsigned(b"Size").and_then(|size| u32::try_from(size).ok());
    let size = size.filter(|size| *size <= MAX_OBJECT_NUMBER).ok_or_else(|| refuse(SectionError::Trailer("Size")))?;
    let prev = offset_of(&dictionary, b"Prev").ok_or_else(|| refuse(SectionError::Trailer("Prev")))?;
    let hybrid = offset_of(&dictionary, b"XRefStm").ok_or_else(|| refuse(SectionError::Trailer("XRefStm")))?;
    let mut stream_numbers = Vec::from_iter(stream_number);
    let mut form = if stream_number.is_some() { XrefForm::Stream } else { XrefForm::Table };
    if let (XrefForm::Table, Some(stream_offset)) = (form, hybrid) {
        form = XrefForm::Hybrid;
        let stream = section::read_stream(bytes, stream_offset, allowance)
            .map_err(|error| section_refusal(error, stream_offset))?;
        stream_numbers.extend(stream.stream_number);
        // The stream tells about objects that the table hides as free (7.5.8.4).
        for (number, entry) in stream.entries {
            let listed = entries.entry(number).or_insert(entry);
            if *listed == XrefEntry::Free {
                *listed = entry;
            }
        }
    }
    let mut scanner = Scanner::new(bytes, end);
    scanner.skip_blanks();
    let (startxref, marker_end) = completion(bytes, scanner.position()).ok_or_else(|| {
        ambiguous(format!("The cross-reference section at byte {offset} is not followed by startxref and %%EOF."))
    })?;
    let section = XrefSection {
        form,
        offset,
        trailer,
        marker_end,
        revision_end: after_line_end(bytes, marker_end),
        entries: entries.into_iter().collect(),
        size,
        stream_numbers,
    };
    Ok((section, prev, startxref))
}

/// The offset after a `startxref`, and the end of the `%%EOF` after it.
fn completion(bytes: &[u8], position: usize) -> Option<(usize, usize)> {
    let mut scanner = Scanner::new(bytes, position);
    scanner.accept(START_XREF).then_some(())?;
    let offset = usize::try_from(scanner.unsigned().ok()?).ok()?;
    scanner.skip_white_space();
    scanner.accept(END_OF_FILE).then_some(())?;
    Some((offset, scanner.position()))
}

fn after_line_end(bytes: &[u8], position: usize) -> usize {
    let mut scanner = Scanner::new(bytes, position);
    let _ = scanner.accept(b"\r\n") || scanner.accept(b"\n") || scanner.accept(b"\r");
    scanner.position()
}

/// Whether the first object is a linearization parameter dictionary (F.3.2).
fn is_linearized(bytes: &[u8], limits: &Limits) -> bool {
    let mut scanner = Scanner::new(bytes, 0);
    let first_object = scanner
        .unsigned()
        .and_then(|_| scanner.unsigned())
        .and_then(|_| scanner.keyword(b"obj"))
        .and_then(|_| scanner.value(&mut Budget::new(limits)));
    first_object
        .ok()
        .and_then(|value| RawDictionary::scan(bytes.get(value)?).ok())
        .is_some_and(|dictionary| dictionary.find(b"Linearized").is_some())
}

/// An optional offset of the trailer; `None` when it is there but no offset.
fn offset_of(dictionary: &RawDictionary<'_>, key: &[u8]) -> Option<Option<usize>> {
    match dictionary.find(key) {
        None => Some(None),
        Some(_) => dictionary.unsigned(key).and_then(|offset| usize::try_from(offset).ok()).map(Some),
    }
}

fn section_refusal(error: SectionError, offset: usize) -> Refusal {
    let place = format!("The cross-reference section at byte {offset} cannot be read");
    match error {
        SectionError::Decode(error @ DecodeError::Bomb { .. }) => {
            Refusal::new("decompression-bomb", format!("{place}: {error}."))
        }
        SectionError::Decode(error) => damaged(format!("{place}: {error}.")),
        SectionError::Duplicate(_) => ambiguous(format!("{place}: {error}.")),
        SectionError::Scan(error @ (ScanError::Nesting(_) | ScanError::Values(_) | ScanError::DuplicateKey(_))) => {
            refusal::from_scan("xref-ambiguous", &place, &error)
        }
        SectionError::TooManyEntries => Refusal::new("too-many-objects", format!("{place}: {error}.")),
        _ => damaged(format!("{place}: {error}.")),
    }
}

fn damaged(detail: impl Into<String>) -> Refusal {
    Refusal::new("xref-damaged", detail)
}

fn ambiguous(detail: impl Into<String>) -> Refusal {
    Refusal::new("xref-ambiguous", detail)
}
