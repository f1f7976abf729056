//! Chain of cross-reference sections, from the last `startxref` to the first
//! revision.

use std::collections::BTreeSet;

use memchr::memmem;
use parafa_format_core::Refusal;

use super::section::{self, Allowance, Parsed, SectionError};
use super::{XrefEntry, XrefForm, XrefSection};
use crate::limits::Limits;
use crate::structure::budget::Budget;
use crate::structure::decode::{DecodeError, Decoder};
use crate::structure::dictionary::RawDictionary;
use crate::structure::refusal;
use crate::structure::scan::{MAX_OBJECT_NUMBER, Scanner, is_white_space};
use crate::structure::scan_error::ScanError;
use crate::structure::source::Source;

const END_OF_FILE: &[u8] = b"%%EOF";
const START_XREF: &[u8] = b"startxref";

/// All sections reachable from the last `startxref`.
pub(crate) struct Chain {
    /// Newest first.
    pub(crate) sections: Vec<XrefSection>,
    /// The last `startxref`.
    pub(crate) start: usize,
    /// Offset after the last `%%EOF` and its end-of-line marker.
    pub(crate) end: usize,
}

/// Reads the chain of sections from the last `startxref`.
pub(crate) fn read_chain(source: Source<'_>, limits: &Limits) -> Result<Chain, Refusal> {
    let (tail_start, tail) = source.tail();
    let marker = memmem::rfind(tail, END_OF_FILE);
    let before = tail.get(..marker.unwrap_or(tail.len())).unwrap_or_default();
    let start =
        memmem::rfind(before, START_XREF).ok_or_else(|| damaged("The file has no startxref."))?;
    let (marker, start) = (tail_start + marker.unwrap_or(0), tail_start + start);
    let Completion {
        startxref: newest,
        revision_end: end,
        ..
    } = completion(source, start)
        .ok_or_else(|| damaged("There is no offset between the last startxref and %%EOF."))?;
    if marker >= end {
        return Err(ambiguous(
            "The last startxref does not belong to the last %%EOF.",
        ));
    }
    let rest = source.get(end..source.len()).unwrap_or_default();
    if memmem::find(rest, START_XREF).is_some() {
        return Err(ambiguous("Another startxref follows the last %%EOF."));
    }
    let sections = follow(source, newest, limits)?;
    if !sections.iter().any(|section| section.revision_end == end) {
        return Err(ambiguous(
            "The last startxref and %%EOF do not complete a cross-reference section.",
        ));
    }
    Ok(Chain {
        sections,
        start,
        end,
    })
}

fn follow(source: Source<'_>, newest: usize, limits: &Limits) -> Result<Vec<XrefSection>, Refusal> {
    let mut allowance = Allowance {
        budget: Budget::new(limits),
        decoder: Decoder::new(limits),
        entries: limits.entries,
    };
    let mut found: Vec<Found> = Vec::new();
    let mut visited = BTreeSet::new();
    let mut next = Some(newest);
    while let Some(told) = next {
        let offset = after_white_space(source, told);
        if !visited.insert(offset) {
            return Err(damaged(
                "The cross-reference sections lead back to one another.",
            ));
        }
        if found.len() >= limits.sections {
            return Err(Refusal::new(
                "too-many-objects",
                "The file has too many cross-reference sections.",
            ));
        }
        if found
            .last()
            .is_some_and(|newer| newer.section.offset < offset)
            && !is_linearized(source, limits)
        {
            return Err(ambiguous(
                "An older cross-reference section comes after a newer one.",
            ));
        }
        let mut section = read_section(source, offset, &mut allowance)?;
        section.section.named_offset = told;
        next = section.prev;
        found.push(section);
    }
    refuse_freed(&found)?;
    complete(source, found, &visited)
}

/// Refuses a hybrid table that frees an object which an older section has in
/// use, while its stream still lists the object. For poppler, pdf.js and
/// `MuPDF` the object is gone; for `PDFBox` and qpdf it exists (ISO 32000-2,
/// 7.5.8.4). Signed content could be removed this way.
fn refuse_freed(found: &[Found]) -> Result<(), Refusal> {
    let mut hidden: BTreeSet<u32> = BTreeSet::new();
    for Found { section, .. } in found {
        let in_use = section.entries.iter();
        let mut in_use = in_use.filter(|(_, entry)| *entry != XrefEntry::Free);
        if let Some((number, _)) = in_use.find(|(number, _)| hidden.contains(number)) {
            return Err(ambiguous(format!(
                "The object {number} is freed by a table and listed by the stream beside it."
            )));
        }
        hidden.extend(&section.hidden);
    }
    Ok(())
}

/// Sets the end of the revision for every section.
fn complete(
    source: Source<'_>,
    found: Vec<Found>,
    offsets: &BTreeSet<usize>,
) -> Result<Vec<XrefSection>, Refusal> {
    let mut ends: Vec<(usize, usize)> = Vec::with_capacity(found.len());
    for (
        index,
        Found {
            section,
            completion,
            ..
        },
    ) in found.iter().enumerate()
    {
        // The first-page section of a linearized file belongs to the revision
        // that its main section completes (F.3.4).
        let main = found
            .get(index + 1)
            .filter(|older| section.offset < older.section.offset);
        let completion = main.map_or(*completion, |main| main.completion);
        ends.push(match (completion, ends.last()) {
            // The main section contains the offset of the first-page section
            // there.
            (
                Some(Completion {
                    startxref,
                    marker_end,
                    revision_end,
                }),
                _,
            ) if startxref == 0 || offsets.contains(&after_white_space(source, startxref)) => {
                (marker_end, revision_end)
            }
            // Some programs complete several sections with one marker.
            (None, Some(newer)) => *newer,
            _ => {
                let detail = format!(
                    "The cross-reference section at byte {} has no startxref and %%EOF.",
                    section.offset
                );
                return Err(ambiguous(detail));
            }
        });
    }
    let with_ends = |(Found { mut section, .. }, ends)| {
        (section.marker_end, section.revision_end) = ends;
        section
    };
    Ok(found.into_iter().zip(ends).map(with_ends).collect())
}

/// A section, its completion, and the offset of the next older one.
struct Found {
    section: XrefSection,
    completion: Option<Completion>,
    prev: Option<usize>,
}

/// `startxref`, an offset and `%%EOF`.
#[derive(Clone, Copy)]
struct Completion {
    startxref: usize,
    marker_end: usize,
    revision_end: usize,
}

fn read_section(
    source: Source<'_>,
    offset: usize,
    allowance: &mut Allowance,
) -> Result<Found, Refusal> {
    let refuse = |error| section_refusal(error, offset);
    let Parsed {
        mut entries,
        trailer,
        stream_number,
        is_regular,
        end,
    } = section::read(source, offset, allowance).map_err(refuse)?;
    let written = source.get(trailer.clone()).unwrap_or_default();
    let dictionary = RawDictionary::scan(written).map_err(|error| refuse(error.into()))?;
    // An update copies the entries by their keys as written.
    if dictionary.entries().iter().any(|entry| {
        !written
            .get(entry.span.start + 1..)
            .is_some_and(|key| key.starts_with(&entry.key))
    }) {
        return Err(ambiguous(format!(
            "The trailer of the section at byte {offset} has escaped keys."
        )));
    }
    let size = dictionary
        .unsigned(b"Size")
        .and_then(|size| u32::try_from(size).ok());
    let size = size
        .filter(|size| *size <= MAX_OBJECT_NUMBER)
        .ok_or_else(|| refuse(SectionError::Trailer("Size")))?;
    let prev =
        offset_of(&dictionary, b"Prev").ok_or_else(|| refuse(SectionError::Trailer("Prev")))?;
    let hybrid = offset_of(&dictionary, b"XRefStm")
        .ok_or_else(|| refuse(SectionError::Trailer("XRefStm")))?;
    let mut stream_numbers = Vec::from_iter(stream_number);
    let mut hidden = Vec::new();
    let mut form = if stream_number.is_some() {
        XrefForm::Stream
    } else {
        XrefForm::Table
    };
    if let (XrefForm::Table, Some(stream_offset)) = (form, hybrid) {
        form = XrefForm::Hybrid;
        let stream = section::read_stream(source, stream_offset, allowance)
            .map_err(|error| section_refusal(error, stream_offset))?;
        stream_numbers.extend(stream.stream_number);
        // The table hides an object by listing it as free or omitting it.
        for (number, told) in stream.entries {
            let listed = entries.entry(number).or_insert(told);
            if *listed == XrefEntry::Free && told != XrefEntry::Free {
                *listed = told;
                hidden.push(number);
            }
        }
    }
    let mut at_start = Vec::new();
    for (number, entry) in &mut entries {
        match entry {
            XrefEntry::InUse { offset: 0, .. } => {
                *entry = XrefEntry::Free;
                at_start.push(*number);
            }
            XrefEntry::InUse { offset, .. } => *offset = after_white_space(source, *offset),
            XrefEntry::Compressed { .. } | XrefEntry::Free => {}
        }
    }
    let mut scanner = Scanner::new(source.up_to_omission(end), end);
    scanner.skip_blanks();
    if form == XrefForm::Stream {
        skip_stray_trailer(&mut scanner, &mut allowance.budget);
    }
    let completion = completion(source, scanner.position());
    let section = XrefSection {
        form,
        offset,
        named_offset: offset,
        trailer,
        marker_end: 0,
        revision_end: 0,
        entries: entries.into_iter().collect(),
        size,
        at_start,
        hybrid_stream: hybrid.filter(|_| form == XrefForm::Hybrid),
        hidden,
        is_regular,
        stream_numbers,
    };
    Ok(Found {
        section,
        completion,
        prev,
    })
}

fn completion(source: Source<'_>, position: usize) -> Option<Completion> {
    let bytes = source.up_to_omission(position);
    let mut scanner = Scanner::new(bytes, position);
    scanner.accept(START_XREF).then_some(())?;
    let startxref = usize::try_from(scanner.unsigned().ok()?).ok()?;
    scanner.skip_white_space();
    let is_marked = scanner.accept(END_OF_FILE);
    let marker_end = scanner.position();
    if is_marked {
        // Some programs write the marker twice.
        let mut again = scanner.clone();
        again.skip_white_space();
        if again.accept(END_OF_FILE) {
            scanner = again;
        }
    } else {
        // Accepted at the end of a file without any `%%EOF`: readers that
        // search for one first find none elsewhere.
        let is_end = END_OF_FILE.starts_with(scanner.rest().trim_ascii_end());
        let whole = source.get(0..source.len()).filter(|_| is_end)?;
        memmem::find(whole, END_OF_FILE).is_none().then_some(())?;
        scanner = Scanner::new(whole, whole.len());
    }
    Some(Completion {
        startxref,
        marker_end,
        revision_end: after_line_end(bytes, scanner.position()),
    })
}

/// Skips a trailer that linearizers write after the cross-reference stream. It
/// has no `/Root`, so no reader can use it.
fn skip_stray_trailer(scanner: &mut Scanner<'_>, budget: &mut Budget) {
    let mut ahead = scanner.clone();
    if ahead.accept(b"trailer")
        && let rest = ahead.rest()
        && ahead.value(budget).is_ok()
        && RawDictionary::scan(rest).is_ok_and(|trailer| trailer.find(b"Root").is_none())
    {
        ahead.skip_blanks();
        *scanner = ahead;
    }
}

/// Returns the offset after white space: some programs count the white space
/// before a section or object to it.
fn after_white_space(source: Source<'_>, offset: usize) -> usize {
    /// Maximum length of skipped white space, in bytes.
    const LONGEST: usize = 64;

    let rest = source
        .up_to_omission(offset)
        .get(offset..)
        .unwrap_or_default();
    let mut longest = rest.iter().take(LONGEST);
    offset + longest.position(|byte| !is_white_space(*byte)).unwrap_or(0)
}

fn after_line_end(bytes: &[u8], position: usize) -> usize {
    let mut scanner = Scanner::new(bytes, position);
    let _ = scanner.accept(b"\r\n") || scanner.accept(b"\n") || scanner.accept(b"\r");
    scanner.position()
}

/// Returns whether the first object is a linearization parameter dictionary
/// (F.3.2).
fn is_linearized(source: Source<'_>, limits: &Limits) -> bool {
    let bytes = source.up_to_omission(0);
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

/// Returns an optional offset of the trailer; `None` if it is invalid.
fn offset_of(dictionary: &RawDictionary<'_>, key: &[u8]) -> Option<Option<usize>> {
    match dictionary.find(key) {
        None => Some(None),
        Some(_) => dictionary
            .unsigned(key)
            .and_then(|offset| usize::try_from(offset).ok())
            .map(Some),
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
        SectionError::Scan(
            error @ (ScanError::Nesting(_) | ScanError::Values(_) | ScanError::DuplicateKey(_)),
        ) => refusal::from_scan("xref-ambiguous", &place, &error),
        SectionError::TooManyEntries => {
            Refusal::new("too-many-objects", format!("{place}: {error}."))
        }
        _ => damaged(format!("{place}: {error}.")),
    }
}

fn damaged(detail: impl Into<String>) -> Refusal {
    Refusal::new("xref-damaged", detail)
}

fn ambiguous(detail: impl Into<String>) -> Refusal {
    Refusal::new("xref-ambiguous", detail)
}
