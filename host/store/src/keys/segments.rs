//! Files in segments that can be opened separately: `02 ‖ prefix (7) ‖ segments`, each of them
//! `ciphertext ‖ tag (16)` of AES-256-GCM.
//!
//! This is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online
//! Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015): a segment's nonce is
//! `prefix ‖ number (4) ‖ whether it is the last (1)`. Exchanged, omitted, repeated or truncated
//! segments do not open. Neither does a segment of another file, which has another key.

use std::ops::Range;

use ::bytes::{Bytes, BytesMut};
use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce};

use super::KeyError;
use super::aead::{self, NONCE_BYTES, Secret, TAG_BYTES};
use crate::blobs::BlobContent;

/// First byte of such a file.
pub(super) const FORMAT: u8 = 2;
/// Content of every segment except the last, which is empty only if it is the only one.
pub(super) const SEGMENT_BYTES: usize = 64 * 1024;

const SEALED_SEGMENT_BYTES: usize = SEGMENT_BYTES + TAG_BYTES;
const PREFIX_BYTES: usize = 7;
const HEADER_BYTES: usize = 1 + PREFIX_BYTES;

/// A file sealed under its own key as its pieces are requested, so that it is not in memory
/// beside its content.
pub(crate) struct SealedFile {
    key: Secret,
    header: [u8; HEADER_BYTES],
    content: Bytes,
}

impl SealedFile {
    pub(super) fn new(key: Secret, content: Bytes) -> Result<Self, KeyError> {
        // Segment numbers have four bytes.
        let segments = u32::try_from(segments_of(content.len()));
        segments.map_err(|_| KeyError::Unsealable)?;
        let mut header = [FORMAT; HEADER_BYTES];
        header[1..].copy_from_slice(aead::random::<PREFIX_BYTES>()?.as_ref());
        Ok(Self {
            key,
            header,
            content,
        })
    }
}

impl BlobContent for SealedFile {
    fn bytes(&self) -> usize {
        HEADER_BYTES + self.content.len() + segments_of(self.content.len()) * TAG_BYTES
    }

    fn pieces(&self, bytes: usize) -> Box<dyn Iterator<Item = Bytes> + Send> {
        let [_, prefix @ ..] = self.header;
        Box::new(SealedPieces {
            file: Segments {
                cipher: aead::cipher(&self.key),
                prefix,
            },
            next: Some(0),
            rest: self.content.clone(),
            sealed: BytesMut::from(&self.header[..]),
            piece_bytes: bytes,
        })
    }
}

/// Iterator that seals the pieces of a file.
struct SealedPieces {
    file: Segments,
    /// Number of the next segment; `None` after the last.
    next: Option<u32>,
    /// Content not sealed yet.
    rest: Bytes,
    /// Sealed bytes not returned yet.
    sealed: BytesMut,
    piece_bytes: usize,
}

impl SealedPieces {
    fn seal(&mut self, number: u32) {
        let segment = self.rest.split_to(self.rest.len().min(SEGMENT_BYTES));
        let is_last = self.rest.is_empty();
        let begin = self.sealed.len();
        self.sealed.extend_from_slice(&segment);
        let nonce = self.file.nonce(number, is_last);
        let tag = self
            .file
            .cipher
            .seal_in_place_separate_tag(nonce, Aad::empty(), &mut self.sealed[begin..])
            .expect("a segment is short enough to be sealed");
        self.sealed.extend_from_slice(tag.as_ref());
        self.next = (!is_last).then_some(number + 1);
    }
}

impl Iterator for SealedPieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.next.is_some() {
            let left = self.rest.len() + segments_of(self.rest.len()) * TAG_BYTES;
            let missing = self.piece_bytes.saturating_sub(self.sealed.len());
            self.sealed
                .reserve(left.min(missing.saturating_add(SEALED_SEGMENT_BYTES)));
        }
        while self.sealed.len() < self.piece_bytes
            && let Some(number) = self.next
        {
            self.seal(number);
        }
        let bytes = self.sealed.len().min(self.piece_bytes);
        (bytes > 0).then(|| self.sealed.split_to(bytes).freeze())
    }
}

/// Returns the number of segments for content of this length.
fn segments_of(bytes: usize) -> usize {
    bytes.div_ceil(SEGMENT_BYTES).max(1)
}

/// Opens a whole file in place: the buffer becomes the content.
pub(super) fn open(key: &Secret, mut sealed: Vec<u8>) -> Result<Vec<u8>, KeyError> {
    let file = Segments::of(key, &sealed)?;
    let mut opened = 0;
    let mut begin = HEADER_BYTES;
    for number in 0.. {
        let rest = sealed.get_mut(begin..).ok_or(KeyError::Unsealable)?;
        let is_last = rest.len() <= SEALED_SEGMENT_BYTES;
        let end = rest.len().min(SEALED_SEGMENT_BYTES);
        let bytes = file.open_in_place(number, is_last, &mut rest[..end])?;
        sealed.copy_within(begin..begin + bytes, opened);
        opened += bytes;
        begin += end;
        if is_last {
            sealed.truncate(opened);
            return Ok(sealed);
        }
    }
    Err(KeyError::Unsealable)
}

/// The segments of one file.
pub(super) struct Segments {
    cipher: LessSafeKey,
    prefix: [u8; PREFIX_BYTES],
}

impl Segments {
    /// Reads the header of a file.
    pub(super) fn of(key: &Secret, file: &[u8]) -> Result<Self, KeyError> {
        let Some(([FORMAT, prefix @ ..], _)) = file.split_first_chunk::<HEADER_BYTES>() else {
            return Err(KeyError::Unsealable);
        };
        Ok(Self {
            cipher: aead::cipher(key),
            prefix: *prefix,
        })
    }

    /// Returns the range of a segment in a file, given the length of its content.
    pub(super) fn place(number: u32, content: usize) -> Range<u64> {
        let begin = HEADER_BYTES as u64 + u64::from(number) * SEALED_SEGMENT_BYTES as u64;
        begin..begin + (content + TAG_BYTES) as u64
    }

    /// Opens a segment.
    pub(super) fn open(
        &self,
        number: u32,
        is_last: bool,
        mut sealed: Vec<u8>,
    ) -> Result<Vec<u8>, KeyError> {
        let bytes = self.open_in_place(number, is_last, &mut sealed)?;
        sealed.truncate(bytes);
        Ok(sealed)
    }

    /// Decrypts in place; returns the length of the content, with which `sealed` then begins.
    fn open_in_place(
        &self,
        number: u32,
        is_last: bool,
        sealed: &mut [u8],
    ) -> Result<usize, KeyError> {
        let nonce = self.nonce(number, is_last);
        let Some((content, tag)) = sealed.split_last_chunk_mut::<TAG_BYTES>() else {
            return Err(KeyError::Unsealable);
        };
        self.cipher
            .open_in_place_separate_tag(nonce, Aad::empty(), &*tag, content)
            .map(|content| content.len())
            .map_err(|_| KeyError::Unsealable)
    }

    fn nonce(&self, number: u32, is_last: bool) -> Nonce {
        let mut nonce = [0; NONCE_BYTES];
        nonce[..PREFIX_BYTES].copy_from_slice(&self.prefix);
        nonce[PREFIX_BYTES..NONCE_BYTES - 1].copy_from_slice(&number.to_be_bytes());
        nonce[NONCE_BYTES - 1] = is_last.into();
        Nonce::assume_unique_for_key(nonce)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::keys::KEY_BYTES;

    const KEY: [u8; KEY_BYTES] = [7; KEY_BYTES];
    /// "content" under [`KEY`], as first written.
    const WRITTEN: &str = "020102030405060764d4fe4bc24330655cd520b2091838e1dcfaf28bd3ae7a";

    fn key() -> Secret {
        Secret::new(KEY)
    }

    fn sealed(content: &[u8]) -> Vec<u8> {
        file(content).whole().into()
    }

    fn file(content: &[u8]) -> SealedFile {
        SealedFile::new(key(), Bytes::copy_from_slice(content)).expect("a file")
    }

    /// Generates content with a length near a whole number of segments.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        (0..4_usize, 0..=40_usize, any::<u8>()).prop_map(|(segments, near, first)| {
            let length = (segments * SEGMENT_BYTES + near).saturating_sub(20);
            let bytes = (0..length).map(|at| (at / 251).to_le_bytes()[0]);
            bytes.map(|byte| byte.wrapping_add(first)).collect()
        })
    }

    fn segments(sealed: &[u8]) -> Vec<&[u8]> {
        sealed[HEADER_BYTES..]
            .chunks(SEALED_SEGMENT_BYTES)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn what_was_sealed_opens_whole_and_segment_by_segment(content in content()) {
            let sealed = sealed(&content);
            prop_assert_eq!(open(&key(), sealed.clone()).expect("opened"), content.clone());

            let file = Segments::of(&key(), &sealed).expect("a header");
            let segments = segments(&sealed);
            let mut end = HEADER_BYTES as u64;
            let mut opened = Vec::new();
            for (number, segment) in (0..).zip(&segments) {
                let place = Segments::place(number, segment.len() - TAG_BYTES);
                prop_assert_eq!(place.start, end);
                end = place.end;
                let is_last = end == sealed.len() as u64;
                opened.extend(file.open(number, is_last, segment.to_vec()).expect("opened"));
            }
            prop_assert_eq!(opened, content);
        }

        #[test]
        fn a_file_is_the_same_in_pieces_of_any_length(
            content in content(),
            bytes in 1..3 * SEALED_SEGMENT_BYTES,
        ) {
            let file = file(&content);
            let whole = file.whole();
            prop_assert_eq!(whole.len(), file.bytes());

            let pieces: Vec<_> = file.pieces(bytes).collect();

            let (last, before) = pieces.split_last().expect("a header at least");
            prop_assert!(before.iter().all(|piece| piece.len() == bytes));
            prop_assert!((1..=bytes).contains(&last.len()));
            prop_assert_eq!(pieces.concat(), whole);
        }

        #[test]
        fn any_changed_bit_is_found(
            content in content(),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u8,
        ) {
            let mut sealed = sealed(&content);
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            prop_assert!(open(&key(), sealed).is_err());
        }

        #[test]
        fn any_cut_is_found(content in content(), at in any::<prop::sample::Index>()) {
            let mut sealed = sealed(&content);
            sealed.truncate(at.index(sealed.len()));
            prop_assert!(open(&key(), sealed).is_err());
        }

        #[test]
        fn whatever_is_opened_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert!(open(&key(), bytes).is_err());
        }
    }

    #[test]
    fn segments_that_are_exchanged_left_out_repeated_or_appended_are_found() {
        let content = vec![1; 3 * SEGMENT_BYTES];
        let sealed = sealed(&content);
        let other = file(&content).whole();
        let [a, b, c] = segments(&sealed)[..] else {
            panic!("three segments")
        };
        let splice = segments(&other)[1];

        for forged in [
            vec![b, a, c],
            vec![a, c],
            vec![a, b],
            vec![a, b, b, c],
            vec![a, b, c, c],
            vec![a, splice, c],
            vec![],
        ] {
            let forged = [&sealed[..HEADER_BYTES], &forged.concat()].concat();
            assert!(open(&key(), forged).is_err());
        }
    }

    #[test]
    fn a_file_that_was_written_long_ago_still_opens() {
        let written = hex::decode(WRITTEN).expect("hexadecimal digits");

        assert_eq!(open(&key(), written).expect("opened"), b"content");
    }
}
