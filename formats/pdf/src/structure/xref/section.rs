//! A single section, in either form.

use std::collections::BTreeMap;
use std::ops::Range;

use super::XrefEntry;
use crate::structure::budget::Budget;
use crate::structure::decode::{DecodeError, Decoder};
use crate::structure::dictionary::{RawDictionary, array_items};
use crate::structure::indirect::{self, Length, ObjectHead};
use crate::structure::scan::{MAX_OBJECT_NUMBER, Scanner, Token, unsigned};
use crate::structure::scan_error::ScanError;
use crate::structure::source::Source;

/// Length of a table entry without its end-of-line marker: offset, generation
/// and type.
const TABLE_ENTRY_LEN: usize = 18;

/// Length of a table entry with its end-of-line marker (7.5.4).
const WHOLE_TABLE_ENTRY_LEN: usize = 20;

/// Error of reading a section.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SectionError {
    /// Invalid data of a cross-reference stream.
    #[error("the cross-reference stream cannot be decoded")]
    Decode(#[from] DecodeError),
    /// An object listed twice in one section.
    #[error("the object {0} is listed twice")]
    Duplicate(u32),
    /// An invalid entry of a table or stream.
    #[error("the entry of object {0} is not a cross-reference entry")]
    Entry(u32),
    /// A syntax error.
    #[error("there is no cross-reference section")]
    Scan(#[from] ScanError),
    /// More entries than the limit.
    #[error("there are more cross-reference entries than the limit")]
    TooManyEntries,
    /// A missing or invalid entry of the trailer or stream dictionary.
    #[error("the trailer's /{0} is missing or not usable")]
    Trailer(&'static str),
}

/// A table or stream, as parsed from the file.
pub(super) struct Parsed {
    pub(super) entries: BTreeMap<u32, XrefEntry>,
    pub(super) trailer: Range<usize>,
    /// Object number, if it is a stream.
    pub(super) stream_number: Option<u32>,
    /// The table entries have the correct length.
    pub(super) is_regular: bool,
    /// Offset after the trailer or `endobj`.
    pub(super) end: usize,
}

/// Budgets shared by reading all sections.
pub(super) struct Allowance {
    pub(super) budget: Budget,
    pub(super) decoder: Decoder,
    pub(super) entries: usize,
}

impl Allowance {
    fn insert(
        &mut self,
        entries: &mut BTreeMap<u32, XrefEntry>,
        number: u64,
        entry: XrefEntry,
    ) -> Result<(), SectionError> {
        self.entries = self
            .entries
            .checked_sub(1)
            .ok_or(SectionError::TooManyEntries)?;
        let number = object_number(number).ok_or(SectionError::Entry(u32::MAX))?;
        match entries.insert(number, entry) {
            None => Ok(()),
            Some(_) => Err(SectionError::Duplicate(number)),
        }
    }
}

/// Reads the section at an offset.
pub(super) fn read(
    source: Source<'_>,
    offset: usize,
    allowance: &mut Allowance,
) -> Result<Parsed, SectionError> {
    let mut scanner = Scanner::new(source.up_to_omission(offset), offset);
    if scanner.accept(b"xref") {
        read_table(source, scanner, allowance)
    } else {
        read_stream(source, offset, allowance)
    }
}

/// Reads the cross-reference stream at an offset.
pub(super) fn read_stream(
    source: Source<'_>,
    offset: usize,
    allowance: &mut Allowance,
) -> Result<Parsed, SectionError> {
    let opened = indirect::open(source, offset, &mut allowance.budget)?;
    let ObjectHead::Stream {
        id,
        dictionary,
        data_start,
        length: Length::Direct(length),
    } = opened
    else {
        return Err(ScanError::Syntax(offset).into());
    };
    let object = indirect::close(source, id, dictionary, data_start, length)?;
    let dictionary = source.get(object.value.clone()).unwrap_or_default();
    let dictionary = RawDictionary::scan(dictionary)?;
    if dictionary.value(b"Type") != Some(b"/XRef") {
        return Err(SectionError::Trailer("Type"));
    }
    let data = object
        .data
        .and_then(|data| source.get(data))
        .unwrap_or_default();
    let content = allowance.decoder.decode(&dictionary, data)?;
    let widths = widths(&dictionary)?;
    let mut rows = content.chunks_exact(widths.iter().sum());
    let mut entries = BTreeMap::new();
    for (first, count) in subsections(&dictionary)? {
        for number in first..first.saturating_add(count) {
            let row = rows.next().ok_or(SectionError::Trailer("Index"))?;
            let entry = stream_entry(row, widths).ok_or(SectionError::Entry(
                object_number(number).unwrap_or(u32::MAX),
            ))?;
            allowance.insert(&mut entries, number, entry)?;
        }
    }
    Ok(Parsed {
        entries,
        trailer: object.value,
        stream_number: Some(id.0),
        is_regular: true,
        end: object.end,
    })
}

fn read_table(
    source: Source<'_>,
    mut scanner: Scanner<'_>,
    allowance: &mut Allowance,
) -> Result<Parsed, SectionError> {
    let start = scanner.position();
    let mut entries = BTreeMap::new();
    let mut is_regular = true;
    loop {
        match scanner.token()? {
            Some((Token::Keyword(b"trailer"), _)) => break,
            Some((Token::Number(first), span)) => {
                let first = unsigned(first).ok_or(ScanError::Syntax(span.start))?;
                let count = scanner.unsigned()?;
                let mut expected = None;
                for number in first..first.saturating_add(count) {
                    let entry = table_entry(&mut scanner);
                    let entry = entry.ok_or(SectionError::Entry(
                        object_number(number).unwrap_or(u32::MAX),
                    ))?;
                    allowance.insert(&mut entries, number, entry)?;
                    let start = scanner.position() - TABLE_ENTRY_LEN;
                    is_regular &= expected.is_none_or(|expected| expected == start);
                    expected = Some(start + WHOLE_TABLE_ENTRY_LEN);
                }
                scanner.skip_white_space();
                is_regular &= expected.is_none_or(|expected| expected <= scanner.position());
            }
            Some((_, span)) => return Err(ScanError::Syntax(span.start).into()),
            None => return Err(ScanError::End(scanner.position()).into()),
        }
    }
    // Not all readers skip comments here.
    let table = source.get(start..scanner.position()).unwrap_or_default();
    if let Some(comment) = memchr::memchr(b'%', table) {
        return Err(ScanError::Syntax(start + comment).into());
    }
    let trailer = scanner.value(&mut allowance.budget)?;
    if !source
        .get(trailer.clone())
        .is_some_and(|trailer| trailer.starts_with(b"<<"))
    {
        return Err(ScanError::Syntax(trailer.start).into());
    }
    Ok(Parsed {
        entries,
        end: trailer.end,
        trailer,
        stream_number: None,
        is_regular,
    })
}

fn table_entry(scanner: &mut Scanner<'_>) -> Option<XrefEntry> {
    scanner.skip_white_space();
    let (entry, _) = scanner.rest().split_at_checked(TABLE_ENTRY_LEN)?;
    let [offset @ .., b' ', g1, g2, g3, g4, g5, b' ', kind] = entry else {
        return None;
    };
    let offset = unsigned(offset)?;
    let generation = unsigned(&[*g1, *g2, *g3, *g4, *g5])?;
    scanner.accept(entry);
    match kind {
        b'f' => Some(XrefEntry::Free),
        b'n' => Some(XrefEntry::InUse {
            offset: usize::try_from(offset).ok()?,
            generation: match u16::try_from(generation) {
                // Some programs mark unused objects this way.
                Err(_) if offset == 0 => 0,
                generation => generation.ok()?,
            },
        }),
        _ => None,
    }
}

fn stream_entry(row: &[u8], widths: [usize; 3]) -> Option<XrefEntry> {
    let [kind_len, second_len, _] = widths;
    let (kind, rest) = row.split_at_checked(kind_len)?;
    let (second, third) = rest.split_at_checked(second_len)?;
    let kind = if kind.is_empty() { 1 } else { big_endian(kind) };
    match kind {
        0 => Some(XrefEntry::Free),
        1 => Some(XrefEntry::InUse {
            offset: usize::try_from(big_endian(second)).ok()?,
            generation: u16::try_from(big_endian(third)).ok()?,
        }),
        2 => Some(XrefEntry::Compressed {
            container: object_number(big_endian(second))?,
            index: u32::try_from(big_endian(third)).ok()?,
        }),
        _ => None,
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn widths(dictionary: &RawDictionary<'_>) -> Result<[usize; 3], SectionError> {
    let widths = integers(dictionary, b"W").and_then(|widths| <[u64; 3]>::try_from(widths).ok());
    let widths = widths
        .filter(|widths| widths.iter().all(|width| *width <= 8) && widths.iter().sum::<u64>() > 0);
    let widths = widths.and_then(|[kind, second, third]| {
        Some([
            usize::try_from(kind).ok()?,
            usize::try_from(second).ok()?,
            usize::try_from(third).ok()?,
        ])
    });
    widths.ok_or(SectionError::Trailer("W"))
}

fn subsections(dictionary: &RawDictionary<'_>) -> Result<Vec<(u64, u64)>, SectionError> {
    if dictionary.find(b"Index").is_none() {
        return Ok(vec![(
            0,
            dictionary
                .unsigned(b"Size")
                .ok_or(SectionError::Trailer("Size"))?,
        )]);
    }
    let index = integers(dictionary, b"Index").ok_or(SectionError::Trailer("Index"))?;
    let (pairs, rest) = index.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(SectionError::Trailer("Index"));
    }
    Ok(pairs
        .iter()
        .map(|[first, count]| (*first, *count))
        .collect())
}

fn integers(dictionary: &RawDictionary<'_>, key: &[u8]) -> Option<Vec<u64>> {
    array_items(dictionary.value(key)?)
        .ok()?
        .into_iter()
        .map(unsigned)
        .collect()
}

fn object_number(number: u64) -> Option<u32> {
    u32::try_from(number)
        .ok()
        .filter(|number| *number <= MAX_OBJECT_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn allowance() -> Allowance {
        let limits = Limits::default();
        Allowance {
            budget: Budget::new(&limits),
            decoder: Decoder::new(&limits),
            entries: 10,
        }
    }

    #[test]
    fn a_table_lists_objects_by_subsections() {
        let table = b"xref\n0 1\n0000000000 65535 f \n4 2\n0000000015 00000 n \n0000000020 00003 n \ntrailer\n<</Size 6>>";
        let parsed = read(Source::whole(table), 0, &mut allowance()).unwrap();

        assert_eq!(
            parsed.entries.into_iter().collect::<Vec<_>>(),
            [
                (0, XrefEntry::Free),
                (
                    4,
                    XrefEntry::InUse {
                        offset: 15,
                        generation: 0
                    }
                ),
                (
                    5,
                    XrefEntry::InUse {
                        offset: 20,
                        generation: 3
                    }
                ),
            ]
        );
        assert_eq!(&table[parsed.trailer], b"<</Size 6>>");
    }

    #[test]
    fn a_stream_lists_objects_by_rows() {
        let stream = b"9 0 obj<</Type/XRef/Size 10/W[1 1 1]/Index[3 2]/Length 6>>stream\n\x01\x0F\x00\x02\x07\x01\nendstream endobj";
        let parsed = read(Source::whole(stream), 0, &mut allowance()).unwrap();

        assert_eq!(
            parsed.entries.into_iter().collect::<Vec<_>>(),
            [
                (
                    3,
                    XrefEntry::InUse {
                        offset: 15,
                        generation: 0
                    }
                ),
                (
                    4,
                    XrefEntry::Compressed {
                        container: 7,
                        index: 1
                    }
                ),
            ]
        );
        assert_eq!(parsed.stream_number, Some(9));
    }

    #[test]
    fn only_entries_of_twenty_bytes_are_regular() {
        let is_regular = |line_end: &str| {
            let table = format!(
                "xref\n0 1\n0000000000 65535 f{line_end}4 1\n0000000015 00000 n{line_end}trailer\n<</Size 6>>"
            );
            let source = Source::whole(table.as_bytes());
            read(source, 0, &mut allowance()).unwrap().is_regular
        };

        for line_end in [" \n", " \r", "\r\n"] {
            assert!(is_regular(line_end), "{line_end:?}");
        }
        for line_end in ["\n", "\r"] {
            assert!(!is_regular(line_end), "{line_end:?}");
        }
    }

    #[test]
    fn an_object_that_is_listed_twice_is_refused() {
        let table = b"xref\n4 1\n0000000015 00000 n \n4 1\n0000000020 00000 n \ntrailer<<>>";

        assert!(matches!(
            read(Source::whole(table), 0, &mut allowance()),
            Err(SectionError::Duplicate(4))
        ));
    }

    #[test]
    fn a_count_without_entries_does_not_run_on() {
        let table = b"xref\n0 4000000000\n0000000000 65535 f \ntrailer<<>>";

        assert!(matches!(
            read(Source::whole(table), 0, &mut allowance()),
            Err(SectionError::Entry(1))
        ));
    }
}
