//! Indirect objects at their offset (ISO 32000-2, 7.3.10).

use std::ops::Range;

use lopdf::ObjectId;

use super::budget::Budget;
use super::dictionary::{RawDictionary, as_reference};
use super::scan::Scanner;
use super::scan_error::ScanError;
use super::source::Source;

/// An indirect object: `N G obj` value `endobj`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct IndirectObject {
    /// Object number and generation in the object header.
    pub(crate) id: ObjectId,
    /// The value; for a stream, its dictionary.
    pub(crate) value: Range<usize>,
    /// The data of a stream.
    pub(crate) data: Option<Range<usize>>,
    /// Offset after `endobj`.
    pub(crate) end: usize,
}

/// Place of a stream's length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Length {
    /// In the dictionary.
    Direct(usize),
    /// In another object.
    Indirect(ObjectId),
}

/// An object up to the start of stream data.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ObjectHead {
    /// A complete object that is no stream.
    Object(IndirectObject),
    /// A stream; its data follows.
    Stream {
        /// Object number and generation in the object header.
        id: ObjectId,
        dictionary: Range<usize>,
        /// First byte of the data.
        data_start: usize,
        /// Length of the data.
        length: Length,
    },
}

/// Reads an object from the first digit of its header.
pub(crate) fn open(
    source: Source<'_>,
    offset: usize,
    budget: &mut Budget,
) -> Result<ObjectHead, ScanError> {
    let bytes = source.up_to_omission(offset);
    if !bytes.get(offset).is_some_and(u8::is_ascii_digit) {
        return Err(ScanError::Syntax(offset));
    }
    let mut scanner = Scanner::new(bytes, offset);
    let number = scanner
        .unsigned()?
        .try_into()
        .map_err(|_| ScanError::Syntax(offset))?;
    let generation = scanner
        .unsigned()?
        .try_into()
        .map_err(|_| ScanError::Syntax(offset))?;
    let id = (number, generation);
    scanner.keyword(b"obj")?;
    let value = scanner.value(budget)?;
    scanner.skip_blanks();
    if !scanner.accept(b"stream") {
        let end = scanner.keyword(b"endobj")?.end;
        return Ok(ObjectHead::Object(IndirectObject {
            id,
            value,
            data: None,
            end,
        }));
    }
    accept_line_end(&mut scanner)?;
    let source = bytes.get(value.clone()).unwrap_or_default();
    let dictionary = RawDictionary::scan(source)?;
    let length = dictionary.value(b"Length").ok_or(ScanError::NoLength)?;
    let length = length_of(length).ok_or(ScanError::Syntax(value.start))?;
    Ok(ObjectHead::Stream {
        id,
        dictionary: value,
        data_start: scanner.position(),
        length,
    })
}

/// Reads the end of the `stream` line. Spaces before it or a lone CR are
/// invalid (7.3.8.1), but some programs write them and readers agree on the
/// start of the data. After other blanks they differ.
fn accept_line_end(scanner: &mut Scanner<'_>) -> Result<(), ScanError> {
    while scanner.accept(b" ") {}
    if scanner.accept(b"\r\n") || scanner.accept(b"\n") || scanner.accept(b"\r") {
        Ok(())
    } else {
        Err(ScanError::Syntax(scanner.position()))
    }
}

/// Completes a stream of known length.
pub(crate) fn close(
    source: Source<'_>,
    id: ObjectId,
    dictionary: Range<usize>,
    data_start: usize,
    length: usize,
) -> Result<IndirectObject, ScanError> {
    let data_end = data_start
        .checked_add(length)
        .filter(|end| *end <= source.len());
    let data_end = data_end.ok_or(ScanError::End(data_start))?;
    let mut scanner = Scanner::new(source.up_to_omission(data_end), data_end);
    scanner.skip_white_space();
    if !scanner.accept(b"endstream") {
        return Err(ScanError::Syntax(data_end));
    }
    let end = scanner.keyword(b"endobj")?.end;
    Ok(IndirectObject {
        id,
        value: dictionary,
        data: Some(data_start..data_end),
        end,
    })
}

fn length_of(value: &[u8]) -> Option<Length> {
    if let Some(id) = as_reference(value) {
        return Some(Length::Indirect(id));
    }
    let length = super::scan::unsigned(value)?;
    usize::try_from(length).ok().map(Length::Direct)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn read(bytes: &[u8]) -> Result<IndirectObject, ScanError> {
        let source = Source::whole(bytes);
        match open(source, 0, &mut Budget::new(&Limits::default()))? {
            ObjectHead::Object(object) => Ok(object),
            ObjectHead::Stream {
                id,
                dictionary,
                data_start,
                length: Length::Direct(length),
            } => close(source, id, dictionary, data_start, length),
            ObjectHead::Stream { .. } => panic!("the length is direct"),
        }
    }

    #[test]
    fn a_stream_has_its_data_between_the_keywords() {
        let bytes = b"7 0 obj <</Length 5>>\nstream\r\nab\ncd\nendstream\nendobj";
        let object = read(bytes).unwrap();

        assert_eq!(object.id, (7, 0));
        assert_eq!(&bytes[object.data.unwrap()], b"ab\ncd");
        assert_eq!(object.end, bytes.len());
    }

    #[test]
    fn data_begins_after_the_line_of_its_keyword() {
        for line_end in ["\n", "\r\n", "\r", "  \n", " \r\n"] {
            let bytes = format!("7 0 obj <</Length 3>>\nstream{line_end}abc\n\nendstream\nendobj");
            let object = read(bytes.as_bytes()).unwrap();

            assert_eq!(&bytes[object.data.unwrap()], "abc", "{line_end:?}");
        }
        for line_end in ["", " ", "\t\n", "\0\n", "%\n"] {
            let bytes = format!("7 0 obj <</Length 3>>\nstream{line_end}abc\nendstream\nendobj");

            assert!(read(bytes.as_bytes()).is_err(), "{line_end:?}");
        }
    }

    #[test]
    fn a_length_that_does_not_lead_to_endstream_is_refused() {
        assert!(read(b"7 0 obj <</Length 2>>\nstream\nabcd\nendstream\nendobj").is_err());
        assert!(read(b"7 0 obj <</Length 20>>\nstream\nabcd\nendstream\nendobj").is_err());
    }

    #[test]
    fn an_offset_beside_the_header_is_refused() {
        assert_eq!(read(b" 7 0 obj null endobj"), Err(ScanError::Syntax(0)));
    }
}
