//! AES-256-GCM with its nonce as a prefix: `01 ‖ nonce (12) ‖ ciphertext ‖ tag (16)`.

use aes::Aes256;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ctr::Ctr32BE;
use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{KEY_BYTES, KeyError};

const FORMAT: u8 = 1;
pub(super) const NONCE_BYTES: usize = 12;
pub(super) const TAG_BYTES: usize = 16;
pub(super) const HEADER_BYTES: usize = 1 + NONCE_BYTES;

/// Length of a sealed key.
pub(super) const SEALED_KEY_BYTES: usize = HEADER_BYTES + KEY_BYTES + TAG_BYTES;

/// A key's bytes, wiped when dropped.
pub(crate) type Secret = Zeroizing<[u8; KEY_BYTES]>;

/// Derives a separate key for `purpose` and `context` (HKDF-SHA-256, RFC 5869).
pub(super) fn derive(root: &Secret, purpose: &str, context: &str) -> Secret {
    let mut key = Secret::default();
    let info = [
        b"parafa-store/1/",
        purpose.as_bytes(),
        b"/",
        context.as_bytes(),
    ]
    .concat();
    Hkdf::<Sha256>::new(None, root.as_ref())
        .expand(&info, key.as_mut())
        .expect("32 bytes are within what HKDF can expand to");
    key
}

pub(super) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, KeyError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut()).map_err(|_| KeyError::Random)?;
    Ok(bytes)
}

pub(super) fn seal(
    cipher: &LessSafeKey,
    aad: &[u8],
    plaintext: &[u8],
) -> Result<Vec<u8>, KeyError> {
    let nonce = random::<NONCE_BYTES>()?;
    let mut out = Vec::with_capacity(HEADER_BYTES + plaintext.len() + TAG_BYTES);
    out.push(FORMAT);
    out.extend_from_slice(nonce.as_ref());
    out.extend_from_slice(plaintext);
    let tag = cipher
        .seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(aad),
            &mut out[HEADER_BYTES..],
        )
        .map_err(|_| KeyError::Unsealable)?;
    out.extend_from_slice(tag.as_ref());
    Ok(out)
}

/// Decrypts in place: the buffer becomes the plaintext.
pub(super) fn open(
    cipher: &LessSafeKey,
    aad: &[u8],
    mut sealed: Vec<u8>,
) -> Result<Vec<u8>, KeyError> {
    let tag: [u8; TAG_BYTES] = *sealed.last_chunk().ok_or(KeyError::Unsealable)?;
    sealed.truncate(sealed.len() - TAG_BYTES);
    let Some(([FORMAT, nonce @ ..], body)) = sealed.split_first_chunk_mut::<HEADER_BYTES>() else {
        return Err(KeyError::Unsealable);
    };
    cipher
        .open_in_place_separate_tag(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(aad),
            &tag,
            body,
        )
        .map_err(|_| KeyError::Unsealable)?;
    sealed.drain(..HEADER_BYTES);
    Ok(sealed)
}

/// Creates an AES-256-GCM cipher of AWS-LC, which uses the processor's AES instructions.
pub(super) fn cipher(key: &Secret) -> LessSafeKey {
    let key = UnboundKey::new(&AES_256_GCM, key.as_ref());
    LessSafeKey::new(key.expect("a key has the length of AES-256's"))
}

/// Output of [`seal`] that is read in parts. Its tag can be checked only over all of it.
pub(super) struct Whole {
    key: Secret,
    /// Counter block of the first bytes (NIST SP 800-38D, 7.1: `J0` is that of the tag).
    first: [u8; 16],
}

impl Whole {
    /// Creates a reader for output with this `header`.
    pub(super) fn of(key: Secret, header: &[u8; HEADER_BYTES]) -> Result<Self, KeyError> {
        let [FORMAT, nonce @ ..] = header else {
            return Err(KeyError::Unsealable);
        };
        let mut first = [0; 16];
        first[..NONCE_BYTES].copy_from_slice(nonce);
        first[15] = 2;
        Ok(Self { key, first })
    }

    /// Decrypts the ciphertext at this offset, without authentication.
    pub(super) fn decipher(&self, at: u64, bytes: &mut [u8]) {
        let mut cipher = Ctr32BE::<Aes256>::new(self.key.as_ref().into(), &self.first.into());
        cipher.seek(at);
        cipher.apply_keystream(bytes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_changed_bit_keeps_sealed_bytes_shut(
            plaintext in proptest::collection::vec(any::<u8>(), 0..64),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u8,
        ) {
            let key = cipher(&Secret::new([7; KEY_BYTES]));
            let sealed = seal(&key, b"context", &plaintext).expect("sealed");
            prop_assert_eq!(open(&key, b"context", sealed.clone()).expect("opened"), plaintext);

            let mut changed = sealed;
            let at = at.index(changed.len());
            changed[at] ^= 1 << bit;
            prop_assert!(open(&key, b"context", changed).is_err());
        }

        #[test]
        fn any_part_of_sealed_bytes_can_be_read_alone(
            plaintext in proptest::collection::vec(any::<u8>(), 0..200),
            begin in any::<prop::sample::Index>(),
            end in any::<prop::sample::Index>(),
        ) {
            let key = Secret::new([7; KEY_BYTES]);
            let sealed = seal(&cipher(&key), b"context", &plaintext).expect("sealed");
            let ends = [begin, end].map(|at| at.index(plaintext.len() + 1));
            let (begin, end) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let header = sealed.first_chunk().expect("a header");

            let mut part = sealed[HEADER_BYTES + begin..HEADER_BYTES + end].to_vec();
            Whole::of(key, header).expect("known").decipher(begin as u64, &mut part);

            prop_assert_eq!(part, &plaintext[begin..end]);
        }

        #[test]
        fn whatever_is_opened_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let key = cipher(&Secret::new([7; KEY_BYTES]));
            prop_assert!(open(&key, b"", bytes).is_err());
        }
    }
}
