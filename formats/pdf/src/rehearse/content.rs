//! What the content of a page leaves open at its end (ISO 32000-2, 7.8.2),
//! read the way viewers do, who show pages that break the rules as well as
//! they can.

use memchr::memmem;

use crate::structure::is_white_space;

/// Most that is closed of a kind; viewers give up earlier.
const MAX_OPEN: usize = 10_000;

/// Bytes after `EI` that have to look like content, or it stands in the data
/// of an inline image by chance.
const LOOK_AHEAD: usize = 12;

/// What has to be known to put something after a content.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct OpenEnds {
    /// Content that closes what is open: values, a path, a text object, marked
    /// content and saved graphics states, in this order.
    pub(super) closing: Vec<u8>,
    /// Where the operator `Q` stands without a saved state. It does nothing,
    /// unless somebody saved a state before the content.
    pub(super) unmatched_restores: Vec<usize>,
}

/// Reads a content to its end.
pub(super) fn open_ends(content: &[u8]) -> OpenEnds {
    let mut reader = Reader {
        content,
        position: 0,
        containers: Vec::new(),
        unfinished: Vec::new(),
    };
    let mut state = State::default();
    let mut unmatched_restores = Vec::new();
    while let Some((start, operator)) = reader.operator() {
        if operator == b"Q" && state.saved == 0 {
            unmatched_restores.push(start);
        }
        state.follow(operator);
    }
    OpenEnds {
        closing: [reader.closing(), state.closing()].concat(),
        unmatched_restores,
    }
}

/// What operators have opened.
#[derive(Default)]
struct State {
    saved: usize,
    marked: usize,
    text: bool,
    path: bool,
}

impl State {
    fn follow(&mut self, operator: &[u8]) {
        match operator {
            b"q" => self.saved += 1,
            b"Q" => self.saved = self.saved.saturating_sub(1),
            b"BMC" | b"BDC" => self.marked += 1,
            b"EMC" => self.marked = self.marked.saturating_sub(1),
            b"BT" => self.text = true,
            b"ET" => self.text = false,
            b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" | b"W" | b"W*" => self.path = true,
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"n" => {
                self.path = false;
            }
            _ => {}
        }
    }

    fn closing(&self) -> Vec<u8> {
        [
            b"n\n".repeat(usize::from(self.path)),
            b"ET\n".repeat(usize::from(self.text)),
            b"EMC\n".repeat(self.marked.min(MAX_OPEN)),
            b"Q\n".repeat(self.saved.min(MAX_OPEN)),
        ]
        .concat()
    }
}

struct Reader<'a> {
    content: &'a [u8],
    position: usize,
    /// What closes the arrays and dictionaries that are open.
    containers: Vec<&'static [u8]>,
    /// What closes the string or inline image that has no end.
    unfinished: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// The next operator outside of arrays and dictionaries, and its place.
    fn operator(&mut self) -> Option<(usize, &'a [u8])> {
        loop {
            let start = self.position;
            match *self.rest().first()? {
                byte if is_white_space(byte) => self.position += 1,
                b'%' => {
                    let line = self.rest();
                    self.position += memchr::memchr2(b'\r', b'\n', line).unwrap_or(line.len());
                }
                b'(' => self.literal_string(),
                b'<' if self.rest().starts_with(b"<<") => self.open(b">>", 2),
                b'<' => self.hexadecimal_string(),
                b'>' if self.rest().starts_with(b">>") => self.close(b">>"),
                b'[' => self.open(b"]", 1),
                b']' => self.close(b"]"),
                b'/' => self.position += 1 + regular_len(self.rest().get(1..).unwrap_or_default()),
                b')' | b'>' | b'{' | b'}' => self.position += 1,
                _ => {
                    let word = self.rest();
                    let word = word.get(..regular_len(word)).unwrap_or_default();
                    self.position += word.len();
                    if word == b"ID" && self.containers.is_empty() {
                        self.inline_image();
                    } else if self.containers.is_empty() {
                        return Some((start, word));
                    }
                }
            }
        }
    }

    /// What ends the values that have no end.
    fn closing(&self) -> Vec<u8> {
        let containers = self.containers.iter().rev().take(MAX_OPEN);
        let mut closing = self.unfinished.clone();
        closing.extend(containers.copied().flatten());
        if !closing.is_empty() {
            closing.push(b'\n');
        }
        closing
    }

    fn rest(&self) -> &'a [u8] {
        self.content.get(self.position..).unwrap_or_default()
    }

    fn open(&mut self, closing: &'static [u8], len: usize) {
        self.containers.push(closing);
        self.position += len;
    }

    fn close(&mut self, closing: &'static [u8]) {
        if self.containers.last() == Some(&closing) {
            self.containers.pop();
        }
        self.position += closing.len();
    }

    fn literal_string(&mut self) {
        let mut depth = 0;
        let mut bytes = self.rest().iter().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'(' => depth += 1,
                b')' if depth == 1 => {
                    self.position += at + 1;
                    return;
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.position = self.content.len();
        self.unfinished = b")".repeat(depth.min(MAX_OPEN));
    }

    fn hexadecimal_string(&mut self) {
        match memchr::memchr(b'>', self.rest()) {
            Some(end) => self.position += end + 1,
            None => {
                self.position = self.content.len();
                self.unfinished = b">".to_vec();
            }
        }
    }

    /// Skips the data of an inline image (8.9.7), which only `EI` ends.
    fn inline_image(&mut self) {
        let data = self.rest();
        let end = memmem::find_iter(data, b"EI").find(|at| {
            let before = at.checked_sub(1).and_then(|before| data.get(before));
            let after = data.get(at + 2..).unwrap_or_default();
            let after = after.get(..LOOK_AHEAD).unwrap_or(after);
            before.is_some_and(|byte| is_white_space(*byte))
                && after.first().is_none_or(|byte| is_white_space(*byte))
                && after
                    .iter()
                    .all(|byte| (is_white_space(*byte) && *byte != 0) || byte.is_ascii_graphic())
        });
        match end {
            Some(at) => self.position += at + 2,
            None => {
                self.position = self.content.len();
                self.unfinished = b"EI".to_vec();
            }
        }
    }
}

fn regular_len(bytes: &[u8]) -> usize {
    let is_regular = |byte: &u8| {
        !is_white_space(*byte)
            && !matches!(
                byte,
                b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
            )
    };
    bytes
        .iter()
        .position(|byte| !is_regular(byte))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closing(content: &[u8]) -> String {
        String::from_utf8(open_ends(content).closing).unwrap()
    }

    #[test]
    fn sound_content_leaves_nothing_open() {
        let content = b"q 1 0 0 1 0 0 cm /A << /B [ (Q) ] >> BDC BT (q \\( q) Tj [<71>] TJ ET EMC \
            0 0 m 9 9 l S % q\nBI /W 1 /H 1 ID \x01q EI\x00 q \xFF\nEI Q";

        assert_eq!(open_ends(content), OpenEnds::default());
    }

    #[test]
    fn what_is_open_is_closed_from_the_inside_out() {
        assert_eq!(closing(b"q q /OC /X BDC BT"), "ET\nEMC\nQ\nQ\n");
        assert_eq!(closing(b"q 0 0 9 9 re W"), "n\nQ\n");
        assert_eq!(closing(b"q [ (a(b\\)"), "))]\nQ\n");
        assert_eq!(closing(b"/A << /B <41"), ">>>\n");
        assert_eq!(closing(b"BI /W 1 ID abc"), "EI\n");
    }

    #[test]
    fn a_restore_without_a_save_is_found_at_its_place() {
        let ends = open_ends(b"q Q Q q Q\nQ");

        assert_eq!(ends.unmatched_restores, [4, 10]);
        assert_eq!(ends.closing, b"");
    }
}
