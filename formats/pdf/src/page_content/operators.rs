//! Operators of a content stream (ISO 32000-2, 7.8.2).
//!
//! The parser is as tolerant as viewers and skips invalid tokens. Content is
//! not clear where viewers skip in different ways, or where something is
//! unterminated; then no decision may depend on its parsing.

use super::inline_image;
use super::operator_names::needed_operands;
use crate::structure::{is_delimiter, is_white_space, regular_len};

/// Maximum nesting of arrays and dictionaries.
const MAX_NESTING: usize = 32;

/// Maximum number of operands that readers keep for an operator.
const MAX_OPERANDS: usize = 32;

/// Maximum length of an operator that every reader accepts as one token, in
/// bytes.
const MAX_OPERATOR_BYTES: usize = 100;

/// Operators that open or close states independent of the graphics state stack.
const PAIRED: [&[u8]; 12] = [
    b"q", b"Q", b"BT", b"ET", b"BI", b"ID", b"EI", b"BMC", b"BDC", b"EMC", b"BX", b"EX",
];

/// Maximum number of bytes inflated from the inline images of a content to find
/// their ends: far above the needs of content streams.
const MAX_IMAGE_BYTES: u64 = 32 * 1024 * 1024;

/// Iterates over the operators of a content stream.
#[derive(Clone, Debug)]
pub(crate) struct Operators<'c> {
    content: &'c [u8],
    /// Start of the last token.
    start: usize,
    position: usize,
    /// Open arrays and dictionaries.
    containers: Vec<Container>,
    /// Number of pending operands.
    operands: usize,
    image: Image,
    /// Remaining byte budget for inflating inline images.
    image_bytes: u64,
    /// Number of open compatibility sections (8.2); negative after an `EX`
    /// without a `BX`.
    compatibility: isize,
    is_clear: bool,
}

/// An operator or operand, reduced to what callers need.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operand<'c> {
    /// A name without its slash, `#xx` not decoded.
    Name(&'c [u8]),
    /// A number, a keyword such as `true`, a bracket, or an invalid token.
    Other,
    /// A string.
    String {
        /// The string is empty.
        is_empty: bool,
    },
    /// The operator for the preceding operands.
    Operator(&'c [u8]),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Container {
    Array,
    Dictionary,
}

/// Progress in an inline image (8.9.7).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Image {
    None,
    /// In the entries, which start at this offset.
    Entries(usize),
    /// In the data.
    Data,
}

impl<'c> Operators<'c> {
    /// Starts at the first byte.
    pub(super) fn new(content: &'c [u8]) -> Self {
        Self {
            content,
            start: 0,
            position: 0,
            containers: Vec::new(),
            operands: 0,
            image: Image::None,
            image_bytes: MAX_IMAGE_BYTES,
            compatibility: 0,
            is_clear: true,
        }
    }

    /// Like `new`, with a byte budget for inflating inline images.
    pub(super) fn with_image_bytes(content: &'c [u8], image_bytes: u64) -> Self {
        Self {
            image_bytes: image_bytes.min(MAX_IMAGE_BYTES),
            ..Self::new(content)
        }
    }

    /// Returns the remaining byte budget for inflating inline images.
    pub(super) fn image_bytes(&self) -> u64 {
        self.image_bytes
    }

    /// Returns the whole content.
    pub(super) fn content(&self) -> &'c [u8] {
        self.content
    }

    /// Returns the last token, as written.
    pub(crate) fn written(&self) -> &'c [u8] {
        let written = self.content.get(self.start..self.position);
        written.unwrap_or_default()
    }

    /// Returns the start of the last token.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Returns the end of the last token.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Returns whether readers agree on everything up to here and no token,
    /// container or image is open. States opened by operators do not count.
    pub(super) fn is_clear(&self) -> bool {
        self.is_clear
            && self.containers.is_empty()
            && self.operands == 0
            && self.image == Image::None
    }

    fn rest(&self) -> &'c [u8] {
        self.content.get(self.position..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            match rest.iter().position(|byte| !is_white_space(*byte)) {
                None => {
                    self.position = self.content.len();
                    return;
                }
                Some(blanks) => self.position += blanks,
            }
            let rest = self.rest();
            if rest.first() != Some(&b'%') {
                return;
            }
            self.position += memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        }
    }

    /// Counts a complete value.
    fn count_value(&mut self) {
        if self.containers.is_empty() {
            self.operands += 1;
        }
    }

    fn open(&mut self, container: Container, len: usize) -> Operand<'c> {
        self.position += len;
        if self.containers.len() < MAX_NESTING {
            self.containers.push(container);
        } else {
            self.is_clear = false;
        }
        Operand::Other
    }

    fn close(&mut self, container: Container, len: usize) -> Operand<'c> {
        self.position += len;
        if self.containers.last() == Some(&container) {
            self.containers.pop();
            self.count_value();
        } else {
            self.is_clear = false;
        }
        Operand::Other
    }

    fn literal_string(&mut self, text: &'c [u8]) -> Operand<'c> {
        let mut depth = 0_usize;
        let mut from = 0;
        let end = loop {
            let rest = text.get(from..).unwrap_or_default();
            let Some(found) = memchr::memchr3(b'(', b')', b'\\', rest) else {
                break None;
            };
            let at = from + found;
            from = at + 1;
            match text.get(at) {
                Some(b'\\') => from += 1,
                Some(b'(') => depth += 1,
                _ => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break Some(at),
                },
            }
        };
        self.string(end, text.len(), end == Some(0))
    }

    fn hexadecimal_string(&mut self, digits: &'c [u8]) -> Operand<'c> {
        let end = memchr::memchr(b'>', digits);
        let written = digits.get(..end.unwrap_or(digits.len()));
        let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
        let is_empty = !written.unwrap_or_default().iter().any(is_digit);
        self.string(end, digits.len(), is_empty)
    }

    /// Ends a string after this many bytes of the rest, if it is terminated.
    fn string(&mut self, end: Option<usize>, rest: usize, is_empty: bool) -> Operand<'c> {
        self.position += 1 + end.map_or(rest, |end| end + 1);
        self.is_clear &= end.is_some();
        self.count_value();
        Operand::String { is_empty }
    }

    fn word(&mut self, rest: &'c [u8]) -> Operand<'c> {
        let word = rest.get(..regular_len(rest)).unwrap_or_default();
        self.position += word.len();
        if is_number(word) || matches!(word, b"true" | b"false" | b"null") {
            self.count_value();
            return Operand::Other;
        }
        if !self.containers.is_empty() {
            self.is_clear = false;
            return Operand::Other;
        }
        let has_operands = match needed_operands(word) {
            Some(needed) => self.operands >= needed,
            None => self.compatibility > 0 && is_passed_over(word),
        } && self.operands <= MAX_OPERANDS;
        if let Image::Entries(entries) = self.image {
            self.is_clear &= word == b"ID";
            if word == b"ID" {
                self.skip_image(entries);
            }
        } else {
            self.is_clear &= has_operands && word != b"ID";
            self.is_clear &= (word == b"EI") == (self.image == Image::Data);
            self.image = match word {
                b"BI" => Image::Entries(self.position),
                _ => Image::None,
            };
            match word {
                b"BX" => self.compatibility = self.compatibility.saturating_add(1),
                b"EX" => self.compatibility = self.compatibility.saturating_sub(1),
                _ => {}
            }
        }
        self.operands = 0;
        Operand::Operator(word)
    }

    /// Skips the data of the inline image whose entries start at this offset.
    fn skip_image(&mut self, entries: usize) {
        let entries = self.content.get(entries..self.start).unwrap_or_default();
        let rest = self.rest();
        // Nothing is decoded once the content is known to be unclear.
        let is_clear = self.is_clear.then_some(entries);
        let len = is_clear
            .and_then(|entries| inline_image::data_len(entries, rest, &mut self.image_bytes));
        self.is_clear &= len.is_some();
        self.position += len.unwrap_or_else(|| inline_image::probable_len(rest));
        self.image = Image::Data;
    }
}

impl<'c> Iterator for Operators<'c> {
    type Item = Operand<'c>;

    fn next(&mut self) -> Option<Operand<'c>> {
        self.skip_blanks();
        self.start = self.position;
        let rest = self.rest();
        Some(match rest {
            [] => return None,
            [b'<', b'<', ..] => self.open(Container::Dictionary, 2),
            [b'>', b'>', ..] => self.close(Container::Dictionary, 2),
            [b'[', ..] => self.open(Container::Array, 1),
            [b']', ..] => self.close(Container::Array, 1),
            [b'(', text @ ..] => self.literal_string(text),
            [b'<', digits @ ..] => self.hexadecimal_string(digits),
            [b'/', name @ ..] => {
                let name = name.get(..regular_len(name)).unwrap_or_default();
                self.position += name.len() + 1;
                self.count_value();
                Operand::Name(name)
            }
            [byte, ..] if is_delimiter(*byte) => {
                self.position += 1;
                self.is_clear = false;
                Operand::Other
            }
            _ => self.word(rest),
        })
    }
}

/// Returns whether readers parse a word as one or more numbers.
fn is_number(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
        && word
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Returns whether a non-operator can be skipped safely: some readers take a
/// prefix for an operator and continue with the rest.
fn is_passed_over(word: &[u8]) -> bool {
    let is_paired = |paired: &[u8]| memchr::memmem::find(word, paired).is_some();
    word.len() <= MAX_OPERATOR_BYTES
        && word.iter().all(u8::is_ascii_alphabetic)
        && !PAIRED.into_iter().any(is_paired)
}

#[cfg(test)]
mod tests;
