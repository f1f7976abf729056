//! What the content of a page leaves open, and how it is shut in (ISO 32000-2,
//! 8.4.2, 9.4.1 and 14.6.1).

use lopdf::ObjectId;

use super::decoder::ContentDecoder;
use super::operators::{Operand, Operators};
use crate::structure::PdfFile;
use crate::write::encoded;

/// Most graphics states, and most marked contents, inside each other: far above
/// what pages have, and below what readers take.
const MAX_OPEN: usize = 1_000;

/// Most `Q` without a `q`.
const MAX_SURPLUS: usize = 100_000;

/// Why nothing can be drawn on top of a page.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum PageContentError {
    /// A content stream cannot be decoded within the limits.
    #[error("the content stream {0} cannot be decoded")]
    Undecodable(u32),
    /// `/Contents` is neither a stream nor an array of streams.
    #[error("the content of the page is no stream")]
    NoStream,
    /// Readers may take it for different things, or it has no end.
    #[error("the content of the page is not clear")]
    Unclear,
    /// Too much would have to be written anew.
    #[error("the contents of the pages are too long to be written anew")]
    TooLong,
}

/// How the content of a page is shut in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Isolation {
    /// There is nothing to be shut in.
    Empty,
    /// By `q` before it, and by these operators after it.
    Closed {
        /// Operators that close what is open, and the isolation.
        closing: Vec<u8>,
    },
    /// Like `Closed`, but a surplus `Q`, which readers pass over, would close
    /// the isolation: this content lacks it.
    Mended {
        /// The dictionary of the stream of `content`.
        dictionary: &'static [u8],
        /// All of the page's content behind the `q`, encoded.
        content: Vec<u8>,
        /// Operators that close what is open, and the isolation.
        closing: Vec<u8>,
    },
}

impl Isolation {
    /// Reads the content that streams are together.
    pub(super) fn read(
        file: &PdfFile<'_>,
        streams: &[ObjectId],
        decoder: &mut ContentDecoder,
    ) -> Result<Self, PageContentError> {
        if streams.is_empty() {
            return Ok(Self::Empty);
        }
        let mut content = Vec::new();
        let mut breaks = Vec::new();
        for stream in streams {
            let decoded = decoder.decode(file, *stream);
            let decoded = decoded.ok_or(PageContentError::Undecodable(stream.0))?;
            if content.len().saturating_add(decoded.len()) > file.limits().decoded_stream_bytes {
                return Err(PageContentError::TooLong);
            }
            content.extend(decoded);
            breaks.push(content.len());
            // The parts of a content are apart from each other (7.8.2).
            content.push(b' ');
        }
        Self::of(content, &breaks)
    }

    /// The same of content whose parts end at `breaks`.
    fn of(mut content: Vec<u8>, breaks: &[usize]) -> Result<Self, PageContentError> {
        let balance = Balance::of(&content, breaks).ok_or(PageContentError::Unclear)?;
        let closing = balance.closing();
        if balance.surplus.is_empty() {
            return Ok(Self::Closed { closing });
        }
        for surplus in balance.surplus {
            if let Some(operator) = content.get_mut(surplus) {
                *operator = b' ';
            }
        }
        let (dictionary, content) = encoded([b"q\n", content.as_slice()].concat());
        Ok(Self::Mended {
            dictionary,
            content,
            closing,
        })
    }
}

/// What a content has opened at its end.
#[derive(Debug, Default, Eq, PartialEq)]
struct Balance {
    graphics_states: usize,
    marked_contents: usize,
    in_text: bool,
    in_path: bool,
    /// Where each `Q` stands that has no `q`.
    surplus: Vec<usize>,
}

impl Balance {
    /// Goes through a content; `None` when that is not clear, when a part of
    /// it ends within a word, or when it ends within a path.
    fn of(content: &[u8], breaks: &[usize]) -> Option<Self> {
        let mut balance = Self::default();
        let mut breaks = breaks.iter().copied().peekable();
        let mut operators = Operators::new(content);
        while let Some(operand) = operators.next() {
            while breaks.next_if(|end| *end <= operators.start()).is_some() {}
            if breaks.peek().is_some_and(|end| *end < operators.position()) {
                return None;
            }
            if let Operand::Operator(operator) = operand {
                balance.follow(operator, operators.start());
            }
            if balance.graphics_states.max(balance.marked_contents) > MAX_OPEN
                || balance.surplus.len() > MAX_SURPLUS
            {
                return None;
            }
        }
        (operators.is_clear() && !balance.in_path).then_some(balance)
    }

    fn follow(&mut self, operator: &[u8], place: usize) {
        match operator {
            b"q" => self.graphics_states += 1,
            b"Q" => match self.graphics_states.checked_sub(1) {
                Some(outer) => self.graphics_states = outer,
                None => self.surplus.push(place),
            },
            b"BT" => self.in_text = true,
            b"ET" => self.in_text = false,
            b"BDC" | b"BMC" => self.marked_contents += 1,
            b"EMC" => self.marked_contents = self.marked_contents.saturating_sub(1),
            b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" | b"W" | b"W*" => self.in_path = true,
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"n" => {
                self.in_path = false;
            }
            _ => {}
        }
    }

    /// The operators that close what is open, and the `q` before the content.
    fn closing(&self) -> Vec<u8> {
        let mut closing = b"\n".to_vec();
        if self.in_text {
            closing.extend_from_slice(b"ET\n");
        }
        closing.extend(b"EMC\n".repeat(self.marked_contents));
        closing.extend(b"Q\n".repeat(self.graphics_states + 1));
        closing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What closes the content that these parts are together.
    fn closing(parts: &[&[u8]]) -> Option<String> {
        let mut breaks = Vec::new();
        let mut content = Vec::new();
        for part in parts {
            content.extend_from_slice(part);
            breaks.push(content.len());
            content.push(b' ');
        }
        let closing = Balance::of(&content, &breaks)?.closing();
        Some(String::from_utf8(closing).unwrap())
    }

    #[test]
    fn balanced_content_needs_only_the_isolation_closed() {
        assert_eq!(
            closing(&[b"q 1 0 0 1 0 0 cm", b"Q BT ET"]).as_deref(),
            Some("\nQ\n")
        );
    }

    #[test]
    fn what_is_open_is_closed() {
        assert_eq!(
            closing(&[b"q q /OC /A BDC /B BMC EMC Q BT (Q) Tj"]).as_deref(),
            Some("\nET\nEMC\nQ\nQ\n")
        );
    }

    #[test]
    fn a_surplus_operator_is_written_no_more() {
        let isolation = Isolation::of(b"q Q Q 1 g Q q".to_vec(), &[]);

        assert_eq!(
            isolation,
            Ok(Isolation::Mended {
                dictionary: b"<<>>",
                content: b"q\nq Q   1 g   q".to_vec(),
                closing: b"\nQ\nQ\n".to_vec(),
            })
        );
    }

    #[test]
    fn a_value_may_go_on_in_the_next_part_but_no_word() {
        assert!(closing(&[b"[(a)", b"] TJ % comment", b"end"]).is_some());
        assert!(closing(&[b"q", b"Q"]).is_some());
        assert!(closing(&[b"(Sum", b"Q Q 100) Tj"]).is_none());
        assert!(closing(&[b"<41", b"42> Tj"]).is_none());
        let image: [&[u8]; 2] = [b"BI /W 3 /H 1 /IM true ID", b"EI"];
        assert!(closing(&image).is_none());
    }

    #[test]
    fn what_is_not_clear_or_ends_within_a_path_is_not_shut_in() {
        for content in [
            &b"0 0 m 9 9 l"[..],
            b"0 0 9 9 re W",
            b"(never ends",
            b"q [Q] 0 d",
        ] {
            assert_eq!(
                Isolation::of(content.to_vec(), &[]),
                Err(PageContentError::Unclear)
            );
        }
        let deep = |operator: &[u8]| Isolation::of(operator.repeat(MAX_OPEN + 1), &[]);
        assert_eq!(deep(b"q "), Err(PageContentError::Unclear));
        assert_eq!(deep(b"/A BMC "), Err(PageContentError::Unclear));
        assert!(Isolation::of(b"q Q ".repeat(MAX_OPEN + 1), &[]).is_ok());
    }
}
