//! Tokens and extents of values, without building them (ISO 32000-2, 7.2 and
//! 7.3).

use std::borrow::Cow;
use std::ops::Range;

use super::budget::Budget;
use super::scan_error::ScanError;
use super::text::{decode_name, same_value};

/// Maximum object number, both accepted and allocated: far above any writer's,
/// and low enough that adding numbers cannot overflow.
pub(crate) const MAX_OBJECT_NUMBER: u32 = 0x00FF_FFFF;

/// A token, as written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Token<'a> {
    /// `]`
    ArrayEnd,
    /// `[`
    ArrayStart,
    /// `>>`
    DictionaryEnd,
    /// `<<`
    DictionaryStart,
    /// The digits between `<` and `>`.
    HexString(&'a [u8]),
    /// Any other token, such as `obj`.
    Keyword(&'a [u8]),
    /// The characters between the outer parentheses.
    LiteralString(&'a [u8]),
    /// A name without its slash, `#xx` not decoded.
    Name(&'a [u8]),
    /// An integer or real.
    Number(&'a [u8]),
}

/// Reads tokens of a source, starting at an offset.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    source: &'a [u8],
    position: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at an offset of the source.
    pub(crate) fn new(source: &'a [u8], position: usize) -> Self {
        Self {
            source,
            position: position.min(source.len()),
        }
    }

    /// Returns the offset of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Returns the unread part.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.source.get(self.position..).unwrap_or_default()
    }

    /// Skips white space and comments.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            self.skip_white_space();
            if self.rest().first() != Some(&b'%') {
                return;
            }
            let line = self.rest();
            self.position += memchr::memchr2(b'\r', b'\n', line).unwrap_or(line.len());
        }
    }

    /// Skips white space only.
    pub(crate) fn skip_white_space(&mut self) {
        let rest = self.rest();
        self.position += rest
            .iter()
            .position(|byte| !is_white_space(*byte))
            .unwrap_or(rest.len());
    }

    /// Accepts exactly this text, if it comes next.
    pub(crate) fn accept(&mut self, text: &[u8]) -> bool {
        let accepted = self.rest().starts_with(text);
        if accepted {
            self.position += text.len();
        }
        accepted
    }

    /// Reads a keyword after blanks.
    pub(crate) fn keyword(&mut self, keyword: &[u8]) -> Result<Range<usize>, ScanError> {
        match self.token()? {
            Some((Token::Keyword(found), span)) if found == keyword => Ok(span),
            Some((_, span)) => Err(ScanError::Syntax(span.start)),
            None => Err(ScanError::End(self.position)),
        }
    }

    /// Reads an unsigned integer after blanks.
    pub(crate) fn unsigned(&mut self) -> Result<u64, ScanError> {
        match self.token()? {
            Some((Token::Number(digits), span)) => {
                unsigned(digits).ok_or(ScanError::Syntax(span.start))
            }
            Some((_, span)) => Err(ScanError::Syntax(span.start)),
            None => Err(ScanError::End(self.position)),
        }
    }

    /// Reads the next token after blanks; `None` at the end.
    pub(crate) fn token(&mut self) -> Result<Option<(Token<'a>, Range<usize>)>, ScanError> {
        self.skip_blanks();
        let start = self.position;
        let rest = self.rest();
        let (token, len) = match rest {
            [] => return Ok(None),
            [b'<', b'<', ..] => (Token::DictionaryStart, 2),
            [b'>', b'>', ..] => (Token::DictionaryEnd, 2),
            [b'[', ..] => (Token::ArrayStart, 1),
            [b']', ..] => (Token::ArrayEnd, 1),
            [b'<', digits @ ..] => {
                let len = memchr::memchr(b'>', digits).ok_or(ScanError::End(start))?;
                let (digits, _) = digits.split_at(len);
                if !digits
                    .iter()
                    .all(|byte| byte.is_ascii_hexdigit() || is_white_space(*byte))
                {
                    return Err(ScanError::Syntax(start));
                }
                (Token::HexString(digits), len + 2)
            }
            [b'(', text @ ..] => {
                let len = literal_len(text).ok_or(ScanError::End(start))?;
                let (text, _) = text.split_at(len);
                (Token::LiteralString(text), len + 2)
            }
            [b'/', name @ ..] => {
                let (name, _) = name.split_at(regular_len(name));
                (Token::Name(name), name.len() + 1)
            }
            _ => {
                let (word, _) = rest.split_at(regular_len(rest));
                match word {
                    [] => return Err(ScanError::Syntax(start)),
                    [b'0'..=b'9' | b'+' | b'-' | b'.', ..] if is_number(word) => {
                        (Token::Number(word), word.len())
                    }
                    [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => return Err(ScanError::Syntax(start)),
                    _ => (Token::Keyword(word), word.len()),
                }
            }
        };
        self.position = start + len;
        Ok(Some((token, start..self.position)))
    }

    /// Reads one complete value after blanks and returns its range.
    pub(crate) fn value(&mut self, budget: &mut Budget) -> Result<Range<usize>, ScanError> {
        let mut open: Vec<Container<'a>> = Vec::new();
        let mut start = None;
        loop {
            let Some((token, span)) = self.token()? else {
                return Err(ScanError::End(start.unwrap_or(self.position)));
            };
            let position = span.start;
            let start = match start {
                Some(start) => start,
                None => {
                    budget.take_object(position)?;
                    *start.insert(position)
                }
            };
            if let Some(Container::Dictionary {
                keys,
                in_value: in_value @ false,
                ..
            }) = open.last_mut()
                && token != Token::DictionaryEnd
            {
                let Token::Name(key) = token else {
                    return Err(ScanError::Syntax(position));
                };
                budget.take_entry(keys.len(), key.len(), position)?;
                keys.push((decode_name(key), self.position..self.position));
                *in_value = true;
                continue;
            }
            if let Some(Container::Array { items }) = open.last_mut()
                && token != Token::ArrayEnd
            {
                budget.take_item(*items, position)?;
                *items += 1;
            }
            match (token, open.last()) {
                (Token::ArrayStart, _) => {
                    open.push(Container::Array { items: 0 });
                    budget.check_nesting(open.len(), position)?;
                    budget.take_array(position)?;
                    continue;
                }
                (Token::DictionaryStart, _) => {
                    open.push(Container::Dictionary {
                        keys: Vec::new(),
                        in_value: false,
                        start: position,
                    });
                    budget.check_nesting(open.len(), position)?;
                    continue;
                }
                (Token::ArrayEnd, Some(Container::Array { .. })) => {
                    open.pop();
                }
                (
                    Token::DictionaryEnd,
                    Some(Container::Dictionary {
                        in_value: false, ..
                    }),
                ) => {
                    if let Some(Container::Dictionary {
                        mut keys, start, ..
                    }) = open.pop()
                    {
                        keys.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
                        let differ = |pair: &[Entry<'_>]| match pair {
                            [(key, one), (same, other)] if key == same => {
                                let value = |place: &Range<usize>| self.source.get(place.clone());
                                let (one, other) = value(one).zip(value(other)).unwrap_or_default();
                                !(same_value(one, other)
                                    || matches!(&**key, b"PageLayout" | b"PageMode")
                                        && is_for_viewers(one)
                                        && is_for_viewers(other))
                            }
                            _ => false,
                        };
                        if keys.windows(2).any(differ) {
                            return Err(ScanError::DuplicateKey(start));
                        }
                    }
                }
                (Token::Keyword(b"true" | b"false" | b"null"), _) => {}
                (Token::Name(text) | Token::HexString(text) | Token::LiteralString(text), _) => {
                    budget.take_text(text.len(), position)?;
                }
                (Token::Number(digits), _) => self.finish_reference(digits, budget),
                _ => return Err(ScanError::Syntax(position)),
            }
            match open.last_mut() {
                None => return Ok(start..self.position),
                Some(Container::Array { .. }) => {}
                Some(Container::Dictionary { keys, in_value, .. }) => {
                    *in_value = false;
                    if let Some((_, value)) = keys.last_mut() {
                        value.end = self.position;
                    }
                }
            }
        }
    }

    /// Completes a reference if the number just read begins one.
    fn finish_reference(&mut self, digits: &[u8], budget: &mut Budget) {
        // Objects cannot have higher numbers.
        if let Some((number, _)) = self.rest_of_reference(digits)
            && number <= MAX_OBJECT_NUMBER
        {
            budget.mention(number);
        }
    }

    /// Returns number and generation of a reference that begins with the number
    /// just read; reads nothing if it is none.
    pub(super) fn rest_of_reference(&mut self, digits: &[u8]) -> Option<(u32, u64)> {
        let number = u32::try_from(unsigned(digits)?).ok()?;
        let mut ahead = self.clone();
        ahead.skip_blanks();
        match ahead.rest() {
            // The form of nearly all references.
            [b'0', b' ', b'R', after @ ..] if regular_len(after) == 0 => {
                self.position = ahead.position + b"0 R".len();
                return Some((number, 0));
            }
            [b'0'..=b'9', ..] => {}
            // Most numbers end an array or precede a key.
            _ => return None,
        }
        let Ok(Some((Token::Number(generation), _))) = ahead.token() else {
            return None;
        };
        let generation = unsigned(generation)?;
        ahead.keyword(b"R").ok()?;
        self.position = ahead.position;
        Some((number, generation))
    }
}

/// Returns the object numbers of all references in a source, in order.
pub(crate) fn references(source: &[u8]) -> Result<Vec<u32>, ScanError> {
    let mut numbers = Vec::new();
    for_each_reference(source, |(id, _)| {
        numbers.extend(id.map(|(number, _)| number));
    })?;
    Ok(numbers)
}

/// The identifier of an object, if it is possible, and the range of a reference
/// to it.
pub(crate) type ReferencePlace = (Option<(u32, u16)>, Range<usize>);

/// Returns all references in a source, in order.
pub(crate) fn reference_places(source: &[u8]) -> Result<Vec<ReferencePlace>, ScanError> {
    let mut places = Vec::new();
    for_each_reference(source, |place| places.push(place))?;
    Ok(places)
}

fn for_each_reference(
    source: &[u8],
    mut visit: impl FnMut(ReferencePlace),
) -> Result<(), ScanError> {
    let mut scanner = Scanner::new(source, 0);
    let mut before = [None, None];
    while let Some((token, span)) = scanner.token()? {
        if let (Token::Keyword(b"R"), [Some((number, start)), Some((generation, _))]) =
            (token, before)
        {
            let number = u32::try_from(number).ok();
            let id = number.zip(u16::try_from(generation).ok());
            visit((id, start..span.end));
        }
        let [_, last] = before;
        let value = if let Token::Number(digits) = token {
            unsigned(digits).map(|value| (value, span.start))
        } else {
            None
        };
        before = [last, value];
    }
    Ok(())
}

/// A key, decoded because of its many spellings, and the range of its value.
type Entry<'a> = (Cow<'a, [u8]>, Range<usize>);

/// Returns whether a value sets the viewer's window layout (ISO 32000-2, table
/// 29).
fn is_for_viewers(value: &[u8]) -> bool {
    const PAGE_LAYOUT_AND_MODE: [&[u8]; 12] = [
        b"/OneColumn",
        b"/SinglePage",
        b"/TwoColumnLeft",
        b"/TwoColumnRight",
        b"/TwoPageLeft",
        b"/TwoPageRight",
        b"/FullScreen",
        b"/UseAttachments",
        b"/UseNone",
        b"/UseOC",
        b"/UseOutlines",
        b"/UseThumbs",
    ];

    PAGE_LAYOUT_AND_MODE.contains(&value.trim_ascii())
}

enum Container<'a> {
    Array {
        items: usize,
    },
    Dictionary {
        keys: Vec<Entry<'a>>,
        in_value: bool,
        start: usize,
    },
}

/// Tests for white space (ISO 32000-2, table 1).
pub(crate) const fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// Parses unsigned digits.
pub(crate) fn unsigned(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Tests for delimiters (ISO 32000-2, table 2).
pub(crate) const fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

/// Returns the number of leading regular characters.
pub(crate) fn regular_len(bytes: &[u8]) -> usize {
    let is_regular = |byte: &u8| IS_REGULAR.get(usize::from(*byte)) == Some(&true);
    let end = bytes.iter().position(|byte| !is_regular(byte));
    end.unwrap_or(bytes.len())
}

/// Regular characters, by byte.
const IS_REGULAR: [bool; 256] = {
    let mut is_regular = [true; 256];
    let mut byte = 0_u8;
    loop {
        is_regular[byte as usize] = !is_white_space(byte) && !is_delimiter(byte);
        if byte == u8::MAX {
            break is_regular;
        }
        byte += 1;
    }
};

fn literal_len(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.iter().enumerate();
    while let Some((position, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'(' => depth += 1,
            b')' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Some(position),
            },
            _ => {}
        }
    }
    None
}

fn is_number(word: &[u8]) -> bool {
    let digits = word
        .strip_prefix(b"+")
        .or_else(|| word.strip_prefix(b"-"))
        .unwrap_or(word);
    let mut others = digits.iter().filter(|byte| !byte.is_ascii_digit());
    match (others.next(), others.next()) {
        (None, _) => !digits.is_empty(),
        (Some(b'.'), None) => digits.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn value(source: &[u8]) -> Result<&[u8], ScanError> {
        let mut budget = Budget::new(&Limits::default());
        Scanner::new(source, 0)
            .value(&mut budget)
            .map(|span| &source[span])
    }

    #[test]
    fn a_value_ends_where_its_last_token_ends() {
        assert_eq!(
            value(b" % note\n<< /A [1 0 R (x\\)y(z)) <4 1>] >> tail"),
            Ok(&b"<< /A [1 0 R (x\\)y(z)) <4 1>] >>"[..])
        );
        assert_eq!(value(b"12 0 R endobj"), Ok(&b"12 0 R"[..]));
        assert_eq!(value(b"12 0 endobj"), Ok(&b"12"[..]));
        assert_eq!(value(b"-.5]"), Ok(&b"-.5"[..]));
    }

    #[test]
    fn what_is_no_value_is_refused_at_its_place() {
        assert_eq!(value(b"<< /A >>"), Err(ScanError::Syntax(6)));
        assert_eq!(value(b"<< 1 2 >>"), Err(ScanError::Syntax(3)));
        assert_eq!(value(b"[ 1 2"), Err(ScanError::End(0)));
        assert_eq!(value(b"<4G>"), Err(ScanError::Syntax(0)));
        assert_eq!(value(b"1.2.3"), Err(ScanError::Syntax(0)));
        assert_eq!(value(b"endobj"), Err(ScanError::Syntax(0)));
    }

    #[test]
    fn a_key_may_come_twice_with_one_value_or_for_viewers() {
        for dictionary in [
            &b"<< /A (x) /B [1 0 R] /#41 <78> >>"[..],
            b"<< /PageMode /UseNone /Lang (lt) /PageMode/UseOutlines >>",
        ] {
            assert_eq!(value(dictionary), Ok(dictionary));
        }
    }

    #[test]
    fn a_key_that_comes_twice_otherwise_is_refused() {
        assert_eq!(
            value(b"<< /A 1 /B << /C 1 /C 2 >> >>"),
            Err(ScanError::DuplicateKey(11))
        );
        assert_eq!(
            value(b"<< /Contents 1 /#43ontents 2 >>"),
            Err(ScanError::DuplicateKey(0))
        );
    }

    #[test]
    fn nesting_stops_at_the_limit() {
        let limit = Limits::default().nesting;
        let nested = |levels: usize| [b"[".repeat(levels), b"]".repeat(levels)].concat();

        assert!(value(&nested(limit)).is_ok());
        assert_eq!(value(&nested(limit + 1)), Err(ScanError::Nesting(limit)));
    }

    #[test]
    fn references_leave_the_highest_number_behind_that_an_object_can_have() {
        let mut budget = Budget::new(&Limits::default());
        Scanner::new(b"[3 0 R 99 0 R 1000 4000000000 0 R]", 0)
            .value(&mut budget)
            .unwrap();

        assert_eq!(budget.highest_reference(), 99);
    }
}
