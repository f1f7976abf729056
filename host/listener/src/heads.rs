//! Follows the framing of requests as their bytes arrive.
//!
//! The parser accepts a line that ends in LF alone; a server in front may not. The two would then
//! see different requests (RFC 9112, 2.2 and 11.2), so heads are checked before the parser reads
//! them.

/// Longest head of a request, in bytes.
pub(crate) const LONGEST_HEAD: usize = 64 * 1024;

/// Framing of the body after a head.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Framing {
    /// A body of this many bytes, then the next head.
    Length(u64),
    /// A body whose end only the parser knows. No further head is read after it.
    Unknown,
}

/// Result of following some bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Seen {
    /// Nothing that ends anything.
    Nothing,
    /// The head ends at this offset; its framing must be reported next.
    EndOfHead(usize),
    /// A line of the head ends in LF alone at this offset.
    BareLineFeed(usize),
    /// The head reaches its maximum length at this offset and continues.
    TooLong(usize, LongPart),
}

/// The part that makes up most of an oversized head.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LongPart {
    /// Its first line.
    RequestLine,
    /// The header fields.
    Fields,
}

/// Position in the stream of requests of a connection.
#[derive(Debug)]
pub(crate) enum Heads {
    /// In a head, or before one.
    Head(Head),
    /// After a head whose body framing is not known yet.
    Ended,
    /// In a body; this many bytes remain.
    Body(u64),
    /// In bytes that are no longer followed.
    Lost,
}

/// A head that has not ended.
#[derive(Debug, Default)]
pub(crate) struct Head {
    bytes: usize,
    /// Bytes of its first line, so far.
    request_line: usize,
    /// Lines that have ended.
    lines: usize,
    /// Bytes of the line that has not.
    line: usize,
    /// The last byte was CR.
    after_cr: bool,
}

impl Default for Heads {
    fn default() -> Self {
        Self::Head(Head::default())
    }
}

impl Heads {
    /// Returns true if the framing must be reported next.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self, Self::Ended)
    }

    /// Continues after a head.
    pub(crate) fn go_on(&mut self, framing: Framing) {
        *self = match framing {
            Framing::Length(bytes) => Self::Body(bytes),
            Framing::Unknown => Self::Lost,
        };
    }

    /// Length of the head that has not ended, in bytes.
    pub(crate) fn unfinished(&self) -> usize {
        match self {
            Self::Head(head) => head.bytes,
            _ => 0,
        }
    }

    /// Follows the next bytes to the first event.
    pub(crate) fn follow(&mut self, bytes: &[u8]) -> Seen {
        let mut at = 0;
        while at < bytes.len() {
            match self {
                Self::Body(left) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX);
                    let here = here.min(bytes.len() - at);
                    at += here;
                    *left -= here as u64;
                    if *left == 0 {
                        *self = Self::default();
                    }
                }
                Self::Head(head) if head.bytes == LONGEST_HEAD => {
                    let part = head.longest_part();
                    *self = Self::Lost;
                    return Seen::TooLong(at, part);
                }
                Self::Head(head) => match head.take(bytes[at]) {
                    Taken::Byte => at += 1,
                    Taken::End => {
                        *self = Self::Ended;
                        return Seen::EndOfHead(at + 1);
                    }
                    Taken::BareLineFeed => {
                        *self = Self::Lost;
                        return Seen::BareLineFeed(at);
                    }
                },
                Self::Ended | Self::Lost => break,
            }
        }
        Seen::Nothing
    }
}

enum Taken {
    Byte,
    End,
    BareLineFeed,
}

impl Head {
    fn longest_part(&self) -> LongPart {
        if self.request_line > self.bytes / 2 {
            LongPart::RequestLine
        } else {
            LongPart::Fields
        }
    }

    fn take(&mut self, byte: u8) -> Taken {
        self.bytes += 1;
        self.line += 1;
        if self.lines == 0 {
            self.request_line += 1;
        }
        let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
        if byte != b'\n' {
            return Taken::Byte;
        }
        if !after_cr {
            return Taken::BareLineFeed;
        }
        let is_empty = std::mem::take(&mut self.line) == b"\r\n".len();
        match (is_empty, self.lines) {
            // Empty lines before a request are ignored (RFC 9112, 2.2).
            (true, 0) => Taken::Byte,
            (true, _) => Taken::End,
            (false, _) => {
                self.lines += 1;
                Taken::Byte
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &[u8] = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n";

    #[test]
    fn a_head_ends_at_its_empty_line() {
        let mut heads = Heads::default();
        let bytes = [b"\r\n", HEAD, b"abc"].concat();

        assert_eq!(heads.follow(&bytes), Seen::EndOfHead(2 + HEAD.len()));
        assert!(heads.has_ended());
    }

    #[test]
    fn what_stands_in_a_body_is_no_head() {
        let mut heads = Heads::default();
        heads.follow(HEAD);
        heads.go_on(Framing::Length(3));

        let rest = [b"\n\n\n", HEAD].concat();

        assert_eq!(heads.follow(&rest), Seen::EndOfHead(rest.len()));
    }

    #[test]
    fn a_body_without_a_known_end_is_not_followed() {
        let mut heads = Heads::default();
        heads.follow(HEAD);
        heads.go_on(Framing::Unknown);

        assert_eq!(heads.follow(b"3\r\na\nb\r\n0\r\n\r\n"), Seen::Nothing);
    }

    #[test]
    fn every_line_that_ends_in_lf_alone_is_seen() {
        let text = String::from_utf8(HEAD.to_vec()).unwrap();
        let lines = text.match_indices("\r\n").map(|(at, _)| at);
        for at in lines {
            let mut bytes = HEAD.to_vec();
            bytes.remove(at);

            assert_eq!(Heads::default().follow(&bytes), Seen::BareLineFeed(at));
        }
        assert_eq!(Heads::default().follow(b"\nGET"), Seen::BareLineFeed(0));
    }

    #[test]
    fn a_head_may_be_so_long_and_no_longer() {
        let of_length = |length: usize| {
            let fields = "x".repeat(length - HEAD.len() - "x: \r\n".len());
            [b"x: ", fields.as_bytes(), b"\r\n"].concat()
        };
        let with_fields = |length| [&HEAD[..HEAD.len() - 2], &of_length(length), b"\r\n"].concat();
        let follow = |bytes: &[u8]| Heads::default().follow(bytes);

        let longest = with_fields(LONGEST_HEAD);
        assert_eq!(follow(&longest), Seen::EndOfHead(LONGEST_HEAD));
        let longer = with_fields(LONGEST_HEAD + 1);
        let seen = Seen::TooLong(LONGEST_HEAD, LongPart::Fields);
        assert_eq!(follow(&longer), seen);
        let line = [b"GET /", "x".repeat(LONGEST_HEAD).as_bytes()].concat();
        let seen = Seen::TooLong(LONGEST_HEAD, LongPart::RequestLine);
        assert_eq!(follow(&line), seen);
    }

    proptest! {
        #[test]
        fn how_bytes_are_cut_makes_no_difference(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'a')], 0..40),
            cut in 0_usize..40,
        ) {
            let cut = cut.min(bytes.len());
            let whole = Heads::default().follow(&bytes);
            let mut heads = Heads::default();
            let parts = match heads.follow(&bytes[..cut]) {
                Seen::Nothing => match heads.follow(&bytes[cut..]) {
                    Seen::Nothing => Seen::Nothing,
                    Seen::EndOfHead(at) => Seen::EndOfHead(cut + at),
                    Seen::BareLineFeed(at) => Seen::BareLineFeed(cut + at),
                    Seen::TooLong(at, part) => Seen::TooLong(cut + at, part),
                },
                seen => seen,
            };

            prop_assert_eq!(whole, parts);
        }
    }
}
