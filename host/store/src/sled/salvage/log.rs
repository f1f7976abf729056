//! The readable messages of the engine's log, read without the engine.
//!
//! sled 0.34 takes the first invalid message of its last segment for the end of the log. Here
//! the rest is read as well. Nothing is written.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

use super::super::shared::SEGMENT_BYTES;

/// Length of a segment's header.
const SEGMENT_HEADER_BYTES: usize = 20;
/// Least distance of a message from the end of a segment.
const LAST_MESSAGE_BYTES: usize = 32;
/// sled stores numbers in a header XORed with this mask.
const HEADER_MASK: u64 = i64::MAX as u64;
const CHECKSUM_BYTES: usize = 4;
/// Length of the pieces in which the unwritten end of a segment is searched.
const PIECE_BYTES: usize = 4096;

/// Effect of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Frees a page.
    Free,
    /// Replaces a page.
    Node,
    /// Changes a page.
    Link,
    /// The position up to which the log must be complete for the next messages to count.
    Batch,
    /// Fills the end of a segment.
    Cap,
    /// Not relevant here.
    Other,
}

/// A valid message.
#[derive(Debug)]
pub(super) struct Message {
    /// Position in the order of the log.
    pub(super) position: u64,
    pub(super) kind: Kind,
    pub(super) page: u64,
    pub(super) body: Vec<u8>,
}

/// The readable part of the log.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) messages: Vec<Message>,
    /// Positions of invalid parts with valid messages after them.
    pub(super) holes: Vec<u64>,
    /// End of the last message.
    pub(super) end: u64,
}

/// A message's header, with the range of its body.
struct Header {
    kind: Kind,
    segment: u64,
    page: u64,
    body: std::ops::Range<usize>,
}

/// Reads everything, in the order of writing.
pub(super) fn read(file: &File) -> io::Result<Log> {
    let mut log = Log::default();
    each_segment(file, |content| walk(content, &mut log))?;
    log.messages.sort_by_key(|message| message.position);
    log.holes.sort_unstable();
    Ok(log)
}

/// Passes each segment to `read`.
fn each_segment(file: &File, mut read: impl FnMut(&[u8])) -> io::Result<()> {
    let mut content = vec![0; SEGMENT_BYTES];
    for at in (0..).step_by(SEGMENT_BYTES) {
        let filled = fill(file, &mut content, at)?;
        if filled == 0 {
            return Ok(());
        }
        read(content.get(..filled).unwrap_or_default());
    }
    Ok(())
}

fn fill(file: &File, content: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = content.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the end of the written part of a segment.
fn written(content: &[u8]) -> usize {
    const UNWRITTEN: [u8; PIECE_BYTES] = [0; PIECE_BYTES];

    let unwritten = content
        .chunks(PIECE_BYTES)
        .rev()
        .take_while(|piece| UNWRITTEN.starts_with(piece));
    content.len() - unwritten.map(<[u8]>::len).sum::<usize>()
}

/// Reads the messages of a segment.
fn walk(content: &[u8], log: &mut Log) {
    let stated = segment_in_header(content);
    let mut at = SEGMENT_HEADER_BYTES;
    // The messages contain the segment's number too.
    let Some(segment) = stated.or_else(|| next_sound(content, at, None).map(|(_, of)| of.segment))
    else {
        return;
    };
    let Some(begins) = segment
        .checked_mul(SEGMENT_BYTES as u64)
        .filter(|begins| *begins < HEADER_MASK)
    else {
        return;
    };
    if stated.is_none() {
        log.holes.push(begins);
    }
    while at + LAST_MESSAGE_BYTES <= SEGMENT_BYTES {
        let header = match sound(content, at, Some(segment)) {
            Some(header) => header,
            None => {
                let Some((found, header)) = next_sound(content, at + 1, Some(segment)) else {
                    return;
                };
                log.holes.push(begins + at as u64);
                at = found;
                header
            }
        };
        let end = header.body.end;
        log.end = log.end.max(begins + end as u64);
        if header.kind == Kind::Cap {
            return;
        }
        if header.kind != Kind::Other {
            log.messages.push(Message {
                position: begins + at as u64,
                kind: header.kind,
                page: header.page,
                body: content.get(header.body).unwrap_or_default().to_vec(),
            });
        }
        at = end;
    }
}

/// Returns the number of a segment, if its header is valid.
fn segment_in_header(content: &[u8]) -> Option<u64> {
    let (checksum, rest) = content.split_first_chunk::<CHECKSUM_BYTES>()?;
    let numbers = rest.get(..SEGMENT_HEADER_BYTES - CHECKSUM_BYTES)?;
    if !crc32fast::hash(numbers) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (position, _) = numbers.split_first_chunk::<8>()?;
    let position = u64::from_le_bytes(*position) ^ HEADER_MASK;
    Some(position / SEGMENT_BYTES as u64)
}

/// Returns the next valid message from a position on, of this segment or of any.
fn next_sound(content: &[u8], from: usize, segment: Option<u64>) -> Option<(usize, Header)> {
    (from..written(content)).find_map(|at| Some((at, sound(content, at, segment)?)))
}

/// Returns the message at a position, if it is valid and of this segment, or of any.
fn sound(content: &[u8], at: usize, segment: Option<u64>) -> Option<Header> {
    let mut rest = content.get(at..)?;
    let (checksum, after) = rest.split_first_chunk::<CHECKSUM_BYTES>()?;
    rest = after;
    let (kind, after) = rest.split_first()?;
    rest = after;
    let kind = match kind {
        1 | 5..=7 => Kind::Other,
        2 => Kind::Cap,
        3 => Kind::Batch,
        4 => Kind::Free,
        8 => Kind::Node,
        10 => Kind::Link,
        // Pages outside of the log (9, 11), which do not occur, cannot be read here.
        9 | 11 => Kind::Other,
        _ => return None,
    };
    let length = usize::try_from(number(&mut rest)?).ok()?;
    let of = number(&mut rest)?;
    let page = number(&mut rest)?;
    if segment.is_some_and(|segment| segment != of) {
        return None;
    }
    let begin = content.len() - rest.len();
    let end = begin.checked_add(length)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(content.get(begin..end)?);
    hasher.update(content.get(at + CHECKSUM_BYTES..begin)?);
    (!hasher.finalize() == u32::from_le_bytes(*checksum)).then_some(Header {
        kind,
        segment: of,
        page,
        body: begin..end,
    })
}

/// Decodes a number in sled's encoding of one to nine bytes.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    let first = u64::from(*first);
    let (number, rest) = match first {
        0..=240 => (first, rest),
        241..=248 => {
            let (second, rest) = rest.split_first()?;
            (240 + 256 * (first - 241) + u64::from(*second), rest)
        }
        249 => {
            let ([second, third], rest) = rest.split_first_chunk::<2>()?;
            (2288 + 256 * u64::from(*second) + u64::from(*third), rest)
        }
        _ => {
            let (low, rest) = rest.split_at_checked(usize::try_from(first - 247).ok()?)?;
            let mut whole = [0; 8];
            whole.get_mut(..low.len())?.copy_from_slice(low);
            (u64::from_le_bytes(whole), rest)
        }
    };
    *bytes = rest;
    Some(number)
}
