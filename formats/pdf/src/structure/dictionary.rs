use std::borrow::Cow;
use std::ops::Range;

use super::budget::Budget;
use super::scan::{Scanner, Token, unsigned};
use super::scan_error::ScanError;
use super::text::{decode_hex, decode_literal, decode_name};
use crate::limits::Limits;

/// A dictionary's source with the position of every entry, for patches that
/// keep all other bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RawDictionary<'a> {
    source: &'a [u8],
    entries: Vec<RawEntry<'a>>,
}

/// An entry of a [`RawDictionary`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RawEntry<'a> {
    /// The key without slash, `#xx` decoded.
    pub(crate) key: Cow<'a, [u8]>,
    /// The value as written.
    pub(crate) value: &'a [u8],
    /// From the key's slash to the end of the value, relative to the source.
    pub(crate) span: Range<usize>,
    /// The value, relative to the source.
    pub(crate) value_span: Range<usize>,
}

impl<'a> RawDictionary<'a> {
    /// Scans a source that begins with `<<` after blanks; ends at the matching
    /// `>>`.
    pub(crate) fn scan(source: &'a [u8]) -> Result<Self, ScanError> {
        let mut budget = Budget::new(&Limits::default());
        let mut scanner = Scanner::new(source, 0);
        let start = match scanner.token()? {
            Some((Token::DictionaryStart, span)) => span.start,
            Some((_, span)) => return Err(ScanError::Syntax(span.start)),
            None => return Err(ScanError::End(0)),
        };
        let source = source.get(start..).unwrap_or_default();
        let mut scanner = Scanner::new(source, 2);
        let mut entries = Vec::new();
        loop {
            match scanner.token()? {
                Some((Token::Name(key), key_span)) => {
                    let value_span = scanner.value(&mut budget)?;
                    entries.push(RawEntry {
                        key: decode_name(key),
                        value: source.get(value_span.clone()).unwrap_or_default(),
                        span: key_span.start..value_span.end,
                        value_span,
                    });
                }
                Some((Token::DictionaryEnd, span)) => {
                    let source = source.get(..span.end).unwrap_or_default();
                    return Ok(Self { source, entries });
                }
                Some((_, span)) => return Err(ScanError::Syntax(span.start)),
                None => return Err(ScanError::End(0)),
            }
        }
    }

    /// Returns the entries in order.
    pub(crate) fn entries(&self) -> &[RawEntry<'a>] {
        &self.entries
    }

    /// Returns the entry of a key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&RawEntry<'a>> {
        self.entries.iter().find(|entry| *entry.key == *key)
    }

    /// Returns the value of a key, as written.
    pub(crate) fn value(&self, key: &[u8]) -> Option<&'a [u8]> {
        self.find(key).map(|entry| entry.value)
    }

    /// Returns the value of a key that is an unsigned integer.
    pub(crate) fn unsigned(&self, key: &[u8]) -> Option<u64> {
        self.value(key).and_then(unsigned)
    }

    /// Replaces the first value of a key, or appends a new entry. `value` is
    /// PDF syntax; `key` has no slash and needs no escapes. A new entry starts
    /// on its own line, because the last line may be a comment.
    pub(crate) fn with(&self, key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut written = self.source.to_vec();
        if self.find(key).is_none() {
            let end = self.source.len().saturating_sub(b">>".len());
            written.splice(end..end, [b"\n/", key, b" ", value].concat());
        }
        let mut of_key = self.entries.iter().filter(|entry| *entry.key == *key);
        let first = of_key.next();
        for again in of_key.rev() {
            written.drain(again.span.clone());
        }
        if let Some(first) = first {
            written.splice(first.value_span.clone(), [b" ", value].concat());
        }
        written
    }
}

/// Returns the items of an array, as written; the source begins with `[` after
/// blanks.
pub(crate) fn array_items(source: &[u8]) -> Result<Vec<&[u8]>, ScanError> {
    ArrayItems::of(source)?.collect()
}

/// Iterates over the items of an array.
pub(crate) struct ArrayItems<'a> {
    source: &'a [u8],
    scanner: Scanner<'a>,
    budget: Budget,
    is_at_end: bool,
}

impl<'a> ArrayItems<'a> {
    /// Starts at a source that begins with `[` after blanks.
    pub(crate) fn of(source: &'a [u8]) -> Result<Self, ScanError> {
        let mut scanner = Scanner::new(source, 0);
        if !matches!(scanner.token()?, Some((Token::ArrayStart, _))) {
            return Err(ScanError::Syntax(0));
        }
        Ok(Self {
            source,
            scanner,
            budget: Budget::new(&Limits::default()),
            is_at_end: false,
        })
    }

    fn read(&mut self) -> Result<Option<&'a [u8]>, ScanError> {
        let mut ahead = self.scanner.clone();
        match ahead.token()? {
            Some((Token::ArrayEnd, _)) => Ok(None),
            Some(_) => {
                let span = self.scanner.value(&mut self.budget)?;
                Ok(Some(self.source.get(span).unwrap_or_default()))
            }
            None => Err(ScanError::End(0)),
        }
    }
}

impl<'a> Iterator for ArrayItems<'a> {
    type Item = Result<&'a [u8], ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        let item = self.read().transpose();
        self.is_at_end = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Parses a reference into object number and generation.
pub(crate) fn as_reference(source: &[u8]) -> Option<(u32, u16)> {
    let mut scanner = Scanner::new(source, 0);
    let number = u32::try_from(scanner.unsigned().ok()?).ok()?;
    let generation = u16::try_from(scanner.unsigned().ok()?).ok()?;
    scanner.keyword(b"R").ok()?;
    Some((number, generation))
}

/// Parses a name into its bytes.
pub(crate) fn as_name(source: &[u8]) -> Option<Vec<u8>> {
    match Scanner::new(source, 0).token() {
        Ok(Some((Token::Name(name), _))) => Some(decode_name(name).into_owned()),
        _ => None,
    }
}

/// Parses a string into its bytes.
pub(crate) fn as_string(source: &[u8]) -> Option<Vec<u8>> {
    match Scanner::new(source, 0).token() {
        Ok(Some((Token::HexString(digits), _))) => Some(decode_hex(digits)),
        Ok(Some((Token::LiteralString(text), _))) => Some(decode_literal(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_entry_is_not_swallowed_by_a_comment_on_the_last_line() {
        let dictionary =
            RawDictionary::scan(b"<< /Type /Catalog % end>>\n % really>>\n>> endobj").unwrap();
        let patched = dictionary.with(b"AcroForm", b"7 0 R");

        assert_eq!(
            RawDictionary::scan(&patched).unwrap().value(b"AcroForm"),
            Some(&b"7 0 R"[..])
        );
        assert!(patched.starts_with(b"<< /Type /Catalog % end>>\n % really>>\n"));
    }

    #[test]
    fn replacing_a_value_keeps_every_other_byte() {
        let dictionary =
            RawDictionary::scan(b"<</MediaBox[0 0 595.275590551 842]/Annots[]/X<</Annots 1>>>>")
                .unwrap();

        assert_eq!(
            dictionary.with(b"Annots", b"[5 0 R]"),
            b"<</MediaBox[0 0 595.275590551 842]/Annots [5 0 R]/X<</Annots 1>>>>"
        );
    }

    #[test]
    fn a_replaced_value_that_follows_its_key_directly_stays_apart_from_it() {
        let dictionary = RawDictionary::scan(b"<</A[1]>>").unwrap();

        assert_eq!(dictionary.with(b"A", b"2"), b"<</A 2>>");
    }

    #[test]
    fn a_key_that_comes_twice_comes_once_when_it_is_replaced() {
        let dictionary = RawDictionary::scan(b"<</A 1/B 2/A 1>>").unwrap();

        assert_eq!(dictionary.with(b"A", b"3"), b"<</A  3/B 2>>");
    }

    #[test]
    fn keys_are_found_however_they_are_written() {
        let dictionary = RawDictionary::scan(b"<</#41croForm 3 0 R>>").unwrap();

        assert_eq!(
            dictionary.value(b"AcroForm").and_then(as_reference),
            Some((3, 0))
        );
    }

    #[test]
    fn array_items_keep_references_together() {
        assert_eq!(
            array_items(b"[1 0 R null [2 3] (])]").unwrap(),
            [&b"1 0 R"[..], b"null", b"[2 3]", b"(])"]
        );
    }
}
