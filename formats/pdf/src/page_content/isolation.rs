//! Isolation of page content: restores the state that it leaves open (ISO
//! 32000-2, 8.4.2, 9.4.1 and 14.6.1).

use lopdf::ObjectId;
use memchr::memmem;

use super::decoder::ContentDecoder;
use super::operators::{Operand, Operators};
use crate::structure::{PdfFile, decode_name};

/// Maximum nesting of graphics states and of marked content: far above real
/// pages, below the limits of readers.
const MAX_OPEN: usize = 1_000;

/// Reasons why nothing can be drawn on top of a page.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum PageContentError {
    /// A content stream cannot be decoded within the limits.
    #[error("the content stream {0} cannot be decoded")]
    Undecodable(u32),
    /// `/Contents` is neither a stream nor an array of streams.
    #[error("the content of the page is no stream")]
    NoStream,
    /// Readers may parse it differently, or it is incomplete.
    #[error("the content of the page is not clear")]
    Unclear {
        /// Maximum number of marked-content sequences that a reader may find
        /// open at the end, in any parse. It is 0 if none can belong to a
        /// layer.
        open_marked_contents: usize,
    },
    /// Ends inside a layer (8.11): some readers then hide annotations, others
    /// do not.
    #[error("the content of the page leaves a layer open")]
    OpenLayer,
}

/// Operators before and after the content of a page that isolate it; empty if
/// there is no content.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Isolation {
    /// Operators that save the graphics state.
    pub(super) opening: Vec<u8>,
    /// Operators that close open sequences and restore the graphics state,
    /// unless the content restores it itself.
    pub(super) closing: Vec<u8>,
    /// Number of marked-content sequences left open, if one of them belongs to
    /// a layer.
    pub(super) open_marked_contents: usize,
}

impl Isolation {
    /// Reads the concatenated content of the streams.
    pub(super) fn read(
        file: &PdfFile<'_>,
        streams: &[ObjectId],
        decoder: &mut ContentDecoder,
    ) -> Result<Self, PageContentError> {
        if streams.is_empty() {
            return Ok(Self::default());
        }
        let mut content = Vec::new();
        let mut breaks = Vec::with_capacity(streams.len());
        for stream in streams {
            let decoded = decoder.decode(file, *stream);
            let decoded = decoded.ok_or(PageContentError::Undecodable(stream.0))?;
            if content.len().saturating_add(decoded.len()) > file.limits().decoded_stream_bytes {
                return Err(PageContentError::Undecodable(stream.0));
            }
            // Streams are separated by white space (7.8.2).
            if breaks.is_empty() {
                content = decoded;
            } else {
                content.push(b' ');
                content.extend_from_slice(&decoded);
            }
            breaks.push(content.len());
        }
        let balance = decoder.with_operators(&content, |operators| Balance::of(operators, &breaks));
        let balance = balance.ok_or_else(|| PageContentError::Unclear {
            open_marked_contents: most_open_marked_contents(&content),
        });
        Ok(balance?.isolation())
    }
}

/// Sequences and states open at the end of a content.
#[derive(Debug, Default, Eq, PartialEq)]
struct Balance {
    graphics_states: usize,
    /// One item per open sequence: whether it belongs to a layer.
    marked_contents: Vec<bool>,
    in_text: bool,
    path: Path,
    /// Number of `Q` without a matching `q` at the end.
    surplus: usize,
}

/// The path under construction (8.5).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Path {
    #[default]
    None,
    Open,
    /// Clips later drawing once it ends.
    Clipping,
}

impl Balance {
    /// Scans a content; `None` if it is ambiguous. This includes a stream
    /// ending within a token, a stream after one ending within a comment, and
    /// content ending within a clipping path. It also includes content that
    /// continues after a `Q` without a `q`: some readers stop there.
    fn of(operators: &mut Operators<'_>, breaks: &[usize]) -> Option<Self> {
        let mut balance = Self::default();
        let mut breaks = breaks.iter().copied().peekable();
        let mut first_name = None;
        // A comment may start from here on.
        let mut blanks = 0;
        loop {
            let operand = operators.next();
            while let Some(end) = breaks.next_if(|end| *end <= operators.start()) {
                let before = operators.content().get(blanks..end);
                if breaks.peek().is_some() && before.is_some_and(ends_in_comment) {
                    return None;
                }
                blanks = end;
            }
            let Some(operand) = operand else {
                break;
            };
            blanks = Operators::position(operators);
            if breaks.peek().is_some_and(|end| *end < blanks) {
                return None;
            }
            match operand {
                Operand::Name(name) => {
                    first_name.get_or_insert(name);
                }
                Operand::Operator(operator) => {
                    if balance.surplus > 0 && operator != b"Q" {
                        return None;
                    }
                    balance.follow(operator, first_name.take());
                }
                Operand::Other | Operand::String { .. } => {}
            }
            if balance.most_of_a_kind() > MAX_OPEN {
                return None;
            }
        }
        (operators.is_clear() && balance.path != Path::Clipping).then_some(balance)
    }

    /// Processes an operator; `name` is its first name operand, as written.
    fn follow(&mut self, operator: &[u8], name: Option<&[u8]>) {
        match operator {
            b"q" => self.graphics_states += 1,
            b"Q" => match self.graphics_states.checked_sub(1) {
                Some(outer) => self.graphics_states = outer,
                None => self.surplus += 1,
            },
            b"BT" => self.in_text = true,
            b"ET" => self.in_text = false,
            b"BDC" | b"BMC" => {
                let is_layer = name.is_some_and(|name| *decode_name(name) == *b"OC");
                self.marked_contents.push(is_layer);
            }
            b"EMC" => {
                self.marked_contents.pop();
            }
            b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" if self.path == Path::None => {
                self.path = Path::Open;
            }
            b"W" | b"W*" => self.path = Path::Clipping,
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"n" => {
                self.path = Path::None;
            }
            _ => {}
        }
    }

    fn most_of_a_kind(&self) -> usize {
        let marked_contents = self.marked_contents.len();
        marked_contents.max(self.graphics_states).max(self.surplus)
    }

    /// A surplus `Q` at the end restores the state saved before the content.
    fn isolation(&self) -> Isolation {
        let saved = self.surplus.max(1);
        let restored = self.graphics_states + saved - self.surplus;
        let mut closing = b"\n".to_vec();
        if self.path == Path::Open {
            closing.extend_from_slice(b"n\n");
        }
        if self.in_text {
            closing.extend_from_slice(b"ET\n");
        }
        let marked_contents = self.marked_contents.len();
        closing.extend(b"EMC\n".repeat(marked_contents));
        closing.extend(b"Q\n".repeat(restored));
        let has_layer = self.marked_contents.contains(&true);
        Isolation {
            opening: b"q\n".repeat(saved),
            closing,
            open_marked_contents: if has_layer { marked_contents } else { 0 },
        }
    }
}

/// Returns the maximum number of marked-content sequences left open by a
/// content with ambiguous operators. It is 0 if none can belong to a layer,
/// which needs a property list.
fn most_open_marked_contents(content: &[u8]) -> usize {
    let count = |operator: &[u8]| memmem::find_iter(content, operator).count();
    match count(b"BDC") {
        0 => 0,
        with_properties => with_properties + count(b"BMC"),
    }
}

/// Returns whether white space and comments end with an unterminated comment.
fn ends_in_comment(blanks: &[u8]) -> bool {
    let line = memchr::memrchr2(b'\r', b'\n', blanks).map_or(0, |end| end + 1);
    let line = blanks.get(line..).unwrap_or_default();
    memchr::memchr(b'%', line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the operators that isolate the concatenation of these parts.
    fn isolation(parts: &[&[u8]]) -> Option<(String, String)> {
        let mut breaks = Vec::new();
        let mut content = Vec::new();
        for part in parts {
            content.extend_from_slice(part);
            breaks.push(content.len());
            content.push(b' ');
        }
        let isolation = Balance::of(&mut Operators::new(&content), &breaks)?.isolation();
        let text = |operators| String::from_utf8(operators).unwrap();
        Some((text(isolation.opening), text(isolation.closing)))
    }

    #[test]
    fn balanced_content_needs_only_the_isolation_closed() {
        assert_eq!(
            isolation(&[b"q 1 0 0 1 0 0 cm", b"Q BT ET"]),
            Some(("q\n".into(), "\nQ\n".into()))
        );
    }

    #[test]
    fn what_is_open_is_closed() {
        assert_eq!(
            isolation(&[b"q q /Span /A BDC /B BMC EMC Q BT (Q) Tj"]),
            Some(("q\n".into(), "\nET\nEMC\nQ\nQ\n".into()))
        );
    }

    #[test]
    fn a_layer_is_left_open_with_all_around_it_unless_it_is_closed() {
        let open = |content: &[u8]| {
            let balance = Balance::of(&mut Operators::new(content), &[]).unwrap();
            balance.isolation().open_marked_contents
        };

        assert_eq!(open(b"/OC /A BDC"), 1);
        assert_eq!(open(b"/O#43 /A BDC /B BMC EMC"), 1);
        assert_eq!(open(b"/A BMC /OC /A BDC /B BMC"), 3);
        assert_eq!(open(b"/OC /A BDC /OC /B BDC EMC EMC"), 0);
        assert_eq!(open(b"/Span /OC BDC"), 0);
    }

    #[test]
    fn every_marked_content_may_be_open_that_is_begun_in_any_way_of_reading() {
        let open = most_open_marked_contents;

        assert_eq!(open(b"Q /OC /A BDC (/A BMC EMC) Tj EMC"), 2);
        assert_eq!(open(b"/A BMC /B BMC Q Q"), 0);
    }

    #[test]
    fn content_may_end_with_surplus_operators_but_not_go_on_after_them() {
        assert_eq!(
            isolation(&[b"q Q 1 g Q Q % end"]),
            Some(("q\nq\n".into(), "\n".into()))
        );
        assert_eq!(isolation(&[b"1 g Q 0 g"]), None);
        assert_eq!(isolation(&[b"Q", b"q Q"]), None);
    }

    #[test]
    fn a_value_may_go_on_in_the_next_part_but_no_word() {
        assert!(isolation(&[b"[(a)", b"] TJ"]).is_some());
        assert!(isolation(&[b"q", b"Q"]).is_some());
        assert_eq!(isolation(&[b"(Sum", b"Q Q 100) Tj"]), None);
        assert_eq!(isolation(&[b"<41", b"42> Tj"]), None);
        let image: [&[u8]; 2] = [b"BI /W 3 /H 1 /IM true ID", b"EI"];
        assert_eq!(isolation(&image), None);
    }

    #[test]
    fn a_comment_may_end_with_the_content_but_not_with_a_part_before() {
        assert!(isolation(&[b"q % Q\n", b" % Q", b""]).is_none());
        assert!(isolation(&[b"q % Q", b"Q"]).is_none());
        assert!(isolation(&[b"q % Q", b"\nQ"]).is_none());
        assert!(isolation(&[b"q % Q\n", b"(%) Tj", b"", b"\nQ % Q"]).is_some());
    }

    #[test]
    fn a_path_that_is_never_painted_ends_with_the_content() {
        assert_eq!(
            isolation(&[b"BT 0 0 m 9 9 l"]),
            Some(("q\n".into(), "\nn\nET\nQ\n".into()))
        );
        assert_eq!(
            isolation(&[b"0 0 9 9 re W n 0 0 9 9 re f"]),
            Some(("q\n".into(), "\nQ\n".into()))
        );
    }

    #[test]
    fn what_is_not_clear_or_ends_within_a_path_that_clips_is_not_shut_in() {
        for content in [
            &b"0 0 9 9 re W"[..],
            b"W 0 0 9 9 re",
            b"(never ends",
            b"q [Q] 0 d",
        ] {
            assert_eq!(isolation(&[content]), None);
        }
        assert_eq!(isolation(&[&b"q ".repeat(MAX_OPEN + 1)]), None);
        assert_eq!(isolation(&[&b"Q ".repeat(MAX_OPEN + 1)]), None);
        assert_eq!(isolation(&[&b"/A BMC ".repeat(MAX_OPEN + 1)]), None);
        assert!(isolation(&[&b"q Q ".repeat(MAX_OPEN + 1)]).is_some());
    }
}
