//! Operators of a content stream (ISO 32000-2, 7.8.2), read as tolerantly as
//! viewers read them: what is none is passed over.

use crate::structure::is_white_space;

/// How far after `EI` text must follow for it to be the end of an inline
/// image, in bytes: the same bytes may stand in the image's data.
const TEXT_AFTER_IMAGE_BYTES: usize = 12;

/// Goes through the operators of a content stream in order.
#[derive(Clone, Debug)]
pub(crate) struct Operators<'c> {
    content: &'c [u8],
    position: usize,
    in_image: bool,
}

/// An operator or operand, with the few things that matter about it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operand<'c> {
    /// A name without its slash, `#xx` not decoded.
    Name(&'c [u8]),
    /// A number, a keyword such as `true`, or a bracket.
    Other,
    /// A string.
    String {
        /// Whether it has no characters.
        is_empty: bool,
    },
    /// The operator that the operands before it belong to.
    Operator(&'c [u8]),
}

impl<'c> Operators<'c> {
    /// Starts at the first byte.
    pub(crate) fn new(content: &'c [u8]) -> Self {
        Self {
            content,
            position: 0,
            in_image: false,
        }
    }

    /// Just after what was read last.
    pub(crate) fn position(&self) -> usize {
        self.position
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

    fn literal_string(&mut self, text: &'c [u8]) -> Operand<'c> {
        let mut depth = 0_usize;
        let mut from = 0;
        let end = loop {
            let rest = text.get(from..).unwrap_or_default();
            let Some(found) = memchr::memchr3(b'(', b')', b'\\', rest) else {
                break text.len();
            };
            let at = from + found;
            from = at + 1;
            match text.get(at) {
                Some(b'\\') => from += 1,
                Some(b'(') => depth += 1,
                _ => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break at,
                },
            }
        };
        self.position += (end + 2).min(self.rest().len());
        Operand::String { is_empty: end == 0 }
    }

    fn hexadecimal_string(&mut self, digits: &'c [u8]) -> Operand<'c> {
        let end = memchr::memchr(b'>', digits).unwrap_or(digits.len());
        let digits = digits.get(..end).unwrap_or_default();
        self.position += (end + 2).min(self.rest().len());
        Operand::String {
            is_empty: !digits.iter().any(u8::is_ascii_hexdigit),
        }
    }

    fn word(&mut self, rest: &'c [u8]) -> Operand<'c> {
        let word = rest.get(..regular_len(rest)).unwrap_or_default();
        self.position += word.len();
        match word {
            [b'0'..=b'9' | b'+' | b'-' | b'.', ..] | b"true" | b"false" | b"null" => Operand::Other,
            b"BI" => {
                self.in_image = true;
                Operand::Operator(word)
            }
            b"ID" if self.in_image => {
                self.in_image = false;
                self.position += image_len(self.rest());
                Operand::Operator(word)
            }
            _ => Operand::Operator(word),
        }
    }
}

impl<'c> Iterator for Operators<'c> {
    type Item = Operand<'c>;

    fn next(&mut self) -> Option<Operand<'c>> {
        self.skip_blanks();
        let rest = self.rest();
        Some(match rest {
            [] => return None,
            [b'<', b'<', ..] | [b'>', b'>', ..] => {
                self.position += 2;
                Operand::Other
            }
            [b'(', text @ ..] => self.literal_string(text),
            [b'<', digits @ ..] => self.hexadecimal_string(digits),
            [b'/', name @ ..] => {
                let name = name.get(..regular_len(name)).unwrap_or_default();
                self.position += name.len() + 1;
                Operand::Name(name)
            }
            [byte, ..] if is_delimiter(*byte) => {
                self.position += 1;
                Operand::Other
            }
            _ => self.word(rest),
        })
    }
}

/// How long the data of an inline image is (8.9.7): up to an `EI` between
/// white space that text follows.
fn image_len(data: &[u8]) -> usize {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(data.get(from..).unwrap_or_default(), b"EI") {
        let at = from + found;
        let before = at.checked_sub(1).and_then(|before| data.get(before));
        let after = data.get(at + 2..).unwrap_or_default();
        let is_apart = before.is_none_or(|byte| is_white_space(*byte))
            && after
                .first()
                .is_none_or(|byte| is_white_space(*byte) || is_delimiter(*byte));
        let is_text = after
            .iter()
            .take(TEXT_AFTER_IMAGE_BYTES)
            .all(|byte| is_white_space(*byte) && *byte != 0 || byte.is_ascii_graphic());
        if is_apart && is_text {
            return at;
        }
        from = at + 2;
    }
    data.len()
}

fn regular_len(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| is_white_space(*byte) || is_delimiter(*byte))
        .unwrap_or(bytes.len())
}

fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn operators(content: &[u8]) -> Vec<String> {
        let names = Operators::new(content).filter_map(|operand| match operand {
            Operand::Operator(name) => Some(String::from_utf8_lossy(name).into_owned()),
            _ => None,
        });
        names.collect()
    }

    #[test]
    fn what_stands_in_strings_and_comments_is_no_operator() {
        assert_eq!(
            operators(b"q (a Q \\) (b) Q) Tj % Q Q\n<51> Tj[(Q)-5.5<>]TJ/Q gs Q"),
            ["q", "Tj", "Tj", "TJ", "gs", "Q"]
        );
    }

    #[test]
    fn an_inline_image_ends_with_its_last_line() {
        assert_eq!(
            operators(b"q BI /W 1 /H 1 ID \x01 EI\x02\xFF Q EI \xF0\x9F EI Q"),
            ["q", "BI", "ID", "EI", "Q"]
        );
        assert_eq!(operators(b"BI ID \x00\x01"), ["BI", "ID"]);
        assert_eq!(operators(b"ID Q"), ["ID", "Q"]);
    }

    #[test]
    fn an_empty_string_has_no_characters() {
        let strings = |content| {
            let strings = Operators::new(content).filter_map(|operand| match operand {
                Operand::String { is_empty } => Some(is_empty),
                _ => None,
            });
            strings.collect::<Vec<_>>()
        };

        assert_eq!(
            strings(b"() ( ) < > <20> (("),
            [true, false, true, false, false]
        );
    }

    proptest! {
        #[test]
        fn whatever_the_content_is_it_ends(content in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut operators = Operators::new(&content);
            while operators.next().is_some() {}
            prop_assert_eq!(operators.position(), content.len());
        }
    }
}
