//! Files in segments that open one by one: `02 ‖ prefix (7) ‖ segments`, each of them
//! `ciphertext ‖ tag (16)` of AES-256-GCM.
//!
//! This is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online
//! Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015): a segment's nonce is
//! `prefix ‖ number (4) ‖ whether it is the last (1)`. What was exchanged, left out, repeated or
//! cut off does not open, and neither does a segment of another file, which has another key.

use std::ops::Range;

use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce};

use super::KeyError;
use super::aead::{self, NONCE_BYTES, Secret, TAG_BYTES};

/// The first byte of such a file.
pub(super) const FORMAT: u8 = 2;
/// Content in every segment but the last, which is not empty unless it is the only one.
pub(super) const SEGMENT_BYTES: usize = 64 * 1024;

const SEALED_SEGMENT_BYTES: usize = SEGMENT_BYTES + TAG_BYTES;
const PREFIX_BYTES: usize = 7;
const HEADER_BYTES: usize = 1 + PREFIX_BYTES;

/// Seals all of a file under a key of its own.
pub(super) fn seal(key: &Secret, content: &[u8]) -> Result<Vec<u8>, KeyError> {
    let segments = content.len().div_ceil(SEGMENT_BYTES).max(1);
    let mut out = Vec::with_capacity(HEADER_BYTES + content.len() + segments * TAG_BYTES);
    out.push(FORMAT);
    out.extend_from_slice(aead::random::<PREFIX_BYTES>()?.as_ref());
    let file = Segments::of(key, &out)?;
    let mut rest = content;
    for number in 0.. {
        let (segment, later) = rest.split_at(rest.len().min(SEGMENT_BYTES));
        let begin = out.len();
        out.extend_from_slice(segment);
        let nonce = file.nonce(number, later.is_empty());
        let tag = file
            .cipher
            .seal_in_place_separate_tag(nonce, Aad::empty(), &mut out[begin..])
            .map_err(|_| KeyError::Unsealable)?;
        out.extend_from_slice(tag.as_ref());
        rest = later;
        if rest.is_empty() {
            return Ok(out);
        }
    }
    Err(KeyError::Unsealable)
}

/// Opens all of a file in place: the buffer becomes the content.
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
    /// Of the file that begins like this.
    pub(super) fn of(key: &Secret, file: &[u8]) -> Result<Self, KeyError> {
        let Some(([FORMAT, prefix @ ..], _)) = file.split_first_chunk::<HEADER_BYTES>() else {
            return Err(KeyError::Unsealable);
        };
        Ok(Self {
            cipher: aead::cipher(key),
            prefix: *prefix,
        })
    }

    /// Where a segment lies in the file, if it has so much content.
    pub(super) fn place(number: u32, content: usize) -> Range<u64> {
        let begin = HEADER_BYTES as u64 + u64::from(number) * SEALED_SEGMENT_BYTES as u64;
        begin..begin + (content + TAG_BYTES) as u64
    }

    /// The content of a segment.
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

    /// Makes `sealed` begin with the content; tells how long that is.
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
    /// `seal` of "content" under [`KEY`], as it was written first.
    const WRITTEN: &str = "020102030405060764d4fe4bc24330655cd520b2091838e1dcfaf28bd3ae7a";

    fn key() -> Secret {
        Secret::new(KEY)
    }

    /// Content of some length near a whole number of segments.
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
            let sealed = seal(&key(), &content).expect("sealed");
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
        fn any_changed_bit_is_found(
            content in content(),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u8,
        ) {
            let mut sealed = seal(&key(), &content).expect("sealed");
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            prop_assert!(open(&key(), sealed).is_err());
        }

        #[test]
        fn any_cut_is_found(content in content(), at in any::<prop::sample::Index>()) {
            let mut sealed = seal(&key(), &content).expect("sealed");
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
        let sealed = seal(&key(), &content).expect("sealed");
        let other = seal(&key(), &content).expect("sealed");
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
