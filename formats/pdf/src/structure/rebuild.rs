//! Ambiguity for readers that rebuild the cross-reference, because they do not
//! find it or cannot read it. Such readers scan all bytes. The last object with
//! a number wins, listed or not, and unlisted objects count too.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memmem;
use parafa_format_core::Refusal;

use super::dictionary::{RawDictionary, as_reference};
use super::revision::Revision;
use super::scan::{Scanner, is_delimiter, is_white_space, unsigned};
use super::source::Source;
use super::xref::{XrefEntry, XrefForm, XrefSection};

/// Maximum distance of the last `startxref` from the end for all readers to
/// find it, in bytes. Most search twice as far.
const CERTAIN_BYTES: usize = 512;

const OBJECT: &[u8] = b"obj";
const TRAILER: &[u8] = b"trailer";

/// Returns whether some readers rebuild the cross-reference. Causes:
/// `startxref` too far from the end, an irregular table, or a referenced unused
/// object listed at the start of the file.
pub(super) fn is_likely(
    source: Source<'_>,
    sections: &[XrefSection],
    startxref: usize,
    mentioned: &BTreeSet<u32>,
) -> bool {
    source.len().saturating_sub(startxref) > CERTAIN_BYTES
        || sections.iter().any(|section| {
            let mut at_start = section.at_start.iter();
            !section.is_regular || at_start.any(|number| mentioned.contains(number))
        })
}

/// Returns whether two tables name the same hybrid stream; poppler then gives
/// up.
pub(super) fn names_a_stream_twice(sections: &[XrefSection]) -> bool {
    let mut streams = BTreeSet::new();
    let named = sections.iter().filter_map(|section| section.hybrid_stream);
    named.into_iter().any(|stream| !streams.insert(stream))
}

/// Refuses a file whose scan may find other objects than its cross-reference.
/// `object_streams` are all listed ones.
///
/// # Errors
/// `xref-ambiguous`, also if a part of the file was omitted.
pub(super) fn refuse_differences(
    source: Source<'_>,
    sections: &[XrefSection],
    revision: &Revision<'_>,
    object_streams: &[u32],
) -> Result<(), Refusal> {
    refuse_unlisted(source, sections, revision)?;
    let bytes = source.get(0..source.len()).unwrap_or_default();
    refuse_other_trailers(bytes, sections)?;
    let catalog = revision.catalog_id();
    for section in sections {
        let trailer = source.get(section.trailer.clone()).unwrap_or_default();
        let trailer = RawDictionary::scan(trailer).ok();
        let root = trailer.and_then(|trailer| as_reference(trailer.value(b"Root")?));
        if root.is_some() && root != catalog {
            return Err(ambiguous("Its trailers name different catalogs"));
        }
    }
    for number in object_streams {
        let stream = revision.container(*number)?;
        let members = (0_u32..).map_while(|index| Some((index, stream.member(index)?.0)));
        for (index, member) in members {
            let place = XrefEntry::Compressed {
                container: *number,
                index,
            };
            if revision.entry(member) != Some(place) {
                let place = format!("The object {member} is not listed where it stands");
                return Err(ambiguous(&place));
            }
        }
    }
    Ok(())
}

/// Refuses a file with an unlisted object, or an object after the listed one of
/// its number.
///
/// # Errors
/// `xref-ambiguous`, also if a part of the file was omitted.
pub(super) fn refuse_unlisted(
    source: Source<'_>,
    sections: &[XrefSection],
    revision: &Revision<'_>,
) -> Result<(), Refusal> {
    let bytes = source.get(0..source.len());
    let bytes = bytes.ok_or_else(|| ambiguous("It was not read whole"))?;
    let mut comments = Comments::default();
    for keyword in memmem::find_iter(bytes, OBJECT) {
        let is_as_listed = match header_before(bytes, keyword) {
            Some(header) => {
                (is_certain(&header, bytes, &mut comments) || follows_a_marker(&header, sections))
                    && is_as_listed(&header, sections, revision)
            }
            // A comment may be in between.
            None => !is_token(bytes, keyword..keyword + OBJECT.len()),
        };
        if !is_as_listed {
            let place = format!("An object at byte {keyword} is not listed");
            return Err(ambiguous(&place));
        }
    }
    Ok(())
}

/// Object number and generation before a keyword `obj`.
struct Header {
    offset: usize,
    number: u64,
    generation: u64,
}

fn header_before(bytes: &[u8], keyword: usize) -> Option<Header> {
    let (start, generation) = number_before(bytes, keyword)?;
    let (offset, number) = number_before(bytes, start)?;
    Some(Header {
        offset,
        number,
        generation,
    })
}

/// Returns the number that ends here, ignoring white space, and its offset.
fn number_before(bytes: &[u8], end: usize) -> Option<(usize, u64)> {
    let before = bytes.get(..end)?;
    let last = before.iter().rposition(|byte| !is_white_space(*byte))?;
    let before = before.get(..=last)?;
    let start = before
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |other| other + 1);
    Some((start, unsigned(before.get(start..)?)?))
}

/// Returns whether all readers see the same numbers for an object. Some skip
/// numbers in a comment or inside a longer token and use earlier ones.
fn is_certain(header: &Header, bytes: &[u8], comments: &mut Comments) -> bool {
    let before = header
        .offset
        .checked_sub(1)
        .and_then(|last| bytes.get(last));
    before.is_none_or(is_boundary) && !comments.is_open_at(bytes, header.offset)
}

/// Returns whether a listed object immediately follows an `%%EOF` marker, as in
/// files of Word 2007 signed in 2012.
fn follows_a_marker(header: &Header, sections: &[XrefSection]) -> bool {
    let mut markers = sections.iter().map(|section| section.marker_end);
    let number = u32::try_from(header.number).ok();
    let mut entries = sections.iter().filter_map(|section| section.entry(number?));
    markers.any(|end| end == header.offset)
        && entries.any(
            |entry| matches!(entry, XrefEntry::InUse { offset, .. } if offset == header.offset),
        )
}

/// Comments found so far; `%` in strings or stream data may count too.
#[derive(Default)]
struct Comments {
    position: usize,
    is_open: bool,
}

impl Comments {
    /// Returns whether a `%` precedes the place on the same line. Places must
    /// be passed in ascending order.
    fn is_open_at(&mut self, bytes: &[u8], place: usize) -> bool {
        let passed = bytes.get(self.position..place).unwrap_or_default();
        let line = match memchr::memrchr2(b'\r', b'\n', passed) {
            Some(end) => {
                self.is_open = false;
                passed.get(end..).unwrap_or_default()
            }
            None => passed,
        };
        self.is_open |= memchr::memchr(b'%', line).is_some();
        self.position = place;
        self.is_open
    }
}

/// Returns whether an object is the listed one, an older version of it, or a
/// cross-reference stream.
fn is_as_listed(header: &Header, sections: &[XrefSection], revision: &Revision<'_>) -> bool {
    let Ok(number) = u32::try_from(header.number) else {
        return false;
    };
    match revision.entry(number) {
        Some(XrefEntry::InUse { offset, generation }) => {
            header.offset <= offset && header.generation <= u64::from(generation)
        }
        Some(XrefEntry::Compressed { .. }) => false,
        None | Some(XrefEntry::Free) => sections.iter().any(|section| match section.form {
            XrefForm::Stream => section.offset == header.offset,
            XrefForm::Hybrid | XrefForm::Table => section.hybrid_stream == Some(header.offset),
        }),
    }
}

fn refuse_other_trailers(bytes: &[u8], sections: &[XrefSection]) -> Result<(), Refusal> {
    let tables = sections
        .iter()
        .filter(|section| section.form != XrefForm::Stream);
    let known: BTreeSet<usize> = tables.map(|section| section.trailer.start).collect();
    let mut skipped = 0;
    for keyword in memmem::find_iter(bytes, TRAILER) {
        let end = keyword + TRAILER.len();
        if !is_token(bytes, keyword..end) {
            continue;
        }
        let mut scanner = Scanner::new(bytes, end);
        // A `trailer` inside a comment after another one is not the known
        // trailer. No byte is skipped twice.
        let is_first = keyword >= skipped;
        if is_first {
            scanner.skip_blanks();
            skipped = scanner.position();
        }
        if !is_first || !known.contains(&skipped) {
            let place = format!("There is another trailer at byte {keyword}");
            return Err(ambiguous(&place));
        }
    }
    Ok(())
}

/// Returns whether the range is a whole keyword.
fn is_token(bytes: &[u8], place: Range<usize>) -> bool {
    let before = place.start.checked_sub(1).and_then(|last| bytes.get(last));
    before.is_none_or(is_boundary)
        && bytes
            .get(place.end)
            .is_none_or(|byte| is_white_space(*byte) || is_delimiter(*byte))
}

/// Returns whether a token may directly follow this byte.
fn is_boundary(byte: &u8) -> bool {
    is_white_space(*byte) || is_delimiter(*byte) && *byte != b'/'
}

fn ambiguous(what: &str) -> Refusal {
    Refusal::new(
        "xref-ambiguous",
        format!("Some readers have to look for the objects of the file. {what}."),
    )
}
