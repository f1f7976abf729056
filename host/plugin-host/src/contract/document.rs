use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use openssl::error::ErrorStack;
use openssl::hash::Hasher;
use parafa_catalogue::DigestAlgorithm;

use super::crypto::message_digest;
use super::known_answers::KnownAnswers;
use crate::SourceFile;

/// Most bytes that a digest processes at once: the longest block of FIPS 180-4. After a full block,
/// its state keeps none of them.
const BLOCK_LEN: usize = 128;
/// Shortest part whose digest is remembered.
const PART_LEN: usize = 16 * 1024;
/// Most parts remembered of a document. A container in the API has up to twenty files, which a
/// signature hashes by one algorithm.
const MOST_PARTS: usize = 32;

/// A document for the calls of plugins. Clones share state: bytes that the host hashed for one call
/// are not hashed again for the next.
///
/// Signing hashes a document from its first byte on several times: to compute the bytes to be
/// signed, to embed the signature, and to verify the output. The host keeps the state of the digest
/// after the document's last full block, which holds none of its bytes. Later digests continue from
/// there, also in an output that begins with a copy of the document. Digests of long parts are kept
/// too, such as those of the files in a container. The host computed all of them, so nothing
/// depends on a plugin's word.
///
/// A plugin's answers about the document are remembered as well. An output begins without any.
///
/// The document may have companions: files outside it that its detached signatures cover. An output
/// has those of its input.
#[derive(Clone, Default)]
pub struct Document {
    bytes: Bytes,
    prefix: Arc<HashedPrefix>,
    answers: Arc<KnownAnswers>,
    companions: Arc<[SourceFile]>,
}

/// The host's knowledge of a document besides its bytes.
pub(crate) struct Known {
    prefix: Arc<HashedPrefix>,
    answers: Arc<KnownAnswers>,
}

/// The first `len` bytes of a document, with the state of each digest after them.
#[derive(Default)]
struct HashedPrefix {
    /// A multiple of [`BLOCK_LEN`].
    len: usize,
    states: [OnceLock<Hasher>; DigestAlgorithm::ALL.len()],
    parts: Mutex<HashMap<Part, Hasher>>,
}

/// Full blocks among those first bytes that were hashed separately.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
struct Part {
    algorithm: DigestAlgorithm,
    offset: usize,
    len: usize,
}

impl Document {
    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the bytes without the host's knowledge of them.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Returns its SHA-256 digest. Bytes that the host hashed for a call are not hashed again.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        let digest = self
            .digest_part(DigestAlgorithm::Sha256, 0..self.bytes.len())
            .and_then(|mut hasher| hasher.finish())
            .expect("OpenSSL has every digest of the catalogue");
        digest
            .as_ref()
            .try_into()
            .expect("a SHA-256 digest has 32 bytes")
    }

    /// Returns the document with these companions, whose names are unique. The plugin's answers are
    /// about all of them.
    #[must_use]
    pub fn with_companions(self, files: Vec<SourceFile>) -> Self {
        Self {
            answers: Arc::default(),
            companions: files.into(),
            ..self
        }
    }

    /// Returns its companions.
    #[must_use]
    pub fn companions(&self) -> &[SourceFile] {
        &self.companions
    }

    /// Returns the document without its companions.
    pub(crate) fn alone(&self) -> Self {
        if self.companions.is_empty() {
            return self.clone();
        }
        Self {
            answers: Arc::default(),
            companions: Arc::default(),
            ..self.clone()
        }
    }

    /// Creates a document that begins with bytes hashed earlier.
    fn with_prefix(bytes: Bytes, prefix: Arc<HashedPrefix>) -> Self {
        if bytes.len() < prefix.len {
            return bytes.into();
        }
        Self {
            bytes,
            prefix,
            ..Self::default()
        }
    }

    /// Creates a known document from bytes that were read again.
    pub(crate) fn read_anew(bytes: Bytes, known: &Known) -> Self {
        Self {
            answers: Arc::clone(&known.answers),
            ..Self::with_prefix(bytes, Arc::clone(&known.prefix))
        }
    }

    /// Returns the host's knowledge of the document.
    pub(crate) fn known(&self) -> Known {
        Known {
            prefix: Arc::clone(&self.prefix),
            answers: Arc::clone(&self.answers),
        }
    }

    /// Returns the plugin's known answers about the document.
    pub(crate) fn answers(&self) -> Arc<KnownAnswers> {
        Arc::clone(&self.answers)
    }

    /// Returns true if the prefix was hashed by this algorithm.
    #[cfg(test)]
    pub(crate) fn is_hashed(&self, algorithm: DigestAlgorithm) -> bool {
        self.prefix.state(algorithm).get().is_some()
    }

    /// Creates the document of `bytes`, whose first `copied` bytes the host copied from the start
    /// of this one.
    pub(crate) fn followed_by(&self, bytes: Bytes, copied: u64) -> Self {
        if self.prefix.len > 0 && copied >= self.prefix.len as u64 {
            return Self {
                companions: Arc::clone(&self.companions),
                ..Self::with_prefix(bytes, Arc::clone(&self.prefix))
            };
        }
        let mut prefix = HashedPrefix::of(bytes.len());
        let copied = usize::try_from(copied).unwrap_or_default();
        prefix.parts = Mutex::new(self.prefix.parts_before(copied.min(prefix.len)));
        Self {
            bytes,
            prefix: Arc::new(prefix),
            answers: Arc::default(),
            companions: Arc::clone(&self.companions),
        }
    }

    /// Returns a digest of a part of the document, in progress; of no bytes if the part is outside
    /// it.
    pub(crate) fn digest_part(
        &self,
        algorithm: DigestAlgorithm,
        range: Range<usize>,
    ) -> Result<Hasher, ErrorStack> {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        if range.start == 0 {
            let (mut hasher, known) = self.begin_digest(algorithm, bytes.len())?;
            hasher.update(bytes.get(known..).unwrap_or_default())?;
            return Ok(hasher);
        }
        let (blocks, rest) = bytes.split_at(bytes.len() - bytes.len() % BLOCK_LEN);
        let part = Part {
            algorithm,
            offset: range.start,
            len: blocks.len(),
        };
        let is_worth_keeping = part.len >= PART_LEN && part.end() <= self.prefix.len;
        let known = self.prefix.parts().get(&part).cloned();
        let mut hasher = match known.filter(|_| is_worth_keeping) {
            Some(known) => known,
            None => {
                let mut hasher = Hasher::new(message_digest(algorithm))?;
                hasher.update(blocks)?;
                if is_worth_keeping {
                    self.prefix.keep(part, &hasher);
                }
                hasher
            }
        };
        hasher.update(rest)?;
        Ok(hasher)
    }

    /// Returns a digest of the known prefix and the prefix's length. The digest is empty, and the
    /// length 0, if the prefix is longer than `len`.
    pub(crate) fn begin_digest(
        &self,
        algorithm: DigestAlgorithm,
        len: usize,
    ) -> Result<(Hasher, usize), ErrorStack> {
        let known = self.prefix.len;
        if len < known {
            return Ok((Hasher::new(message_digest(algorithm))?, 0));
        }
        let state = self.prefix.state(algorithm);
        let hasher = match state.get() {
            Some(hasher) => hasher.clone(),
            None => {
                let mut hasher = Hasher::new(message_digest(algorithm))?;
                hasher.update(self.bytes.get(..known).unwrap_or_default())?;
                state.get_or_init(|| hasher.clone());
                hasher
            }
        };
        Ok((hasher, known))
    }
}

impl From<Bytes> for Document {
    fn from(bytes: Bytes) -> Self {
        let prefix = Arc::new(HashedPrefix::of(bytes.len()));
        Self {
            bytes,
            prefix,
            ..Self::default()
        }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Document {}

impl Part {
    fn end(&self) -> usize {
        self.offset.saturating_add(self.len)
    }
}

impl HashedPrefix {
    /// Creates the prefix of a document of that length, not hashed yet.
    fn of(len: usize) -> Self {
        Self {
            len: len - len % BLOCK_LEN,
            ..Self::default()
        }
    }

    fn parts(&self) -> MutexGuard<'_, HashMap<Part, Hasher>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, part: Part, state: &Hasher) {
        let mut parts = self.parts();
        if parts.len() < MOST_PARTS {
            parts.insert(part, state.clone());
        }
    }

    /// Returns the parts that end at or before `end`.
    fn parts_before(&self, end: usize) -> HashMap<Part, Hasher> {
        let parts = self.parts();
        let before = parts.iter().filter(|(part, _)| part.end() <= end);
        before.map(|(part, state)| (*part, state.clone())).collect()
    }

    fn state(&self, algorithm: DigestAlgorithm) -> &OnceLock<Hasher> {
        &self.states[algorithm as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALGORITHM: DigestAlgorithm = DigestAlgorithm::Sha256;

    const BYTES: &[u8] = &[b'd'; 3 * BLOCK_LEN];
    /// Two full blocks and the beginning of a third.
    const LEN: usize = 2 * BLOCK_LEN + 8;

    #[test]
    fn a_digest_goes_on_after_what_was_hashed_before() {
        let document = document(LEN);
        let signed = document.followed_by(Bytes::from_static(BYTES), LEN as u64);
        // The second digest continues from the state of the first.
        for document in [&document, &document, &signed] {
            assert_eq!(digest_of_first(document, LEN), sha256(LEN));
        }

        assert_eq!(digest_of_first(&signed, BYTES.len()), sha256(BYTES.len()));
        assert!(document.is_hashed(ALGORITHM));
        assert!(Arc::ptr_eq(&document.prefix, &signed.prefix));
    }

    #[test]
    fn the_digest_of_an_output_goes_on_after_what_was_hashed_of_its_input() {
        for len in [0, 5, BLOCK_LEN, LEN] {
            let document = document(len);
            for document in [&document, &document] {
                assert_eq!(document.sha256(), sha256(len));
            }
            let output = [&BYTES[..len], b"of its own"].concat();
            let expected = openssl::sha::sha256(&output);

            let output = document.followed_by(output.into(), len as u64);

            assert_eq!(output.sha256(), expected, "{len}");
        }
    }

    #[test]
    fn the_digest_of_a_document_begins_with_the_state_that_is_known() {
        let document = document(LEN);
        let mut other = Hasher::new(message_digest(ALGORITHM)).unwrap();
        other.update(b"other bytes").unwrap();
        assert!(document.prefix.state(ALGORITHM).set(other).is_ok());

        let expected = [&b"other bytes"[..], &BYTES[2 * BLOCK_LEN..LEN]].concat();
        assert_eq!(document.sha256(), openssl::sha::sha256(&expected));
    }

    #[test]
    fn a_long_part_is_hashed_once_also_in_an_output_that_begins_with_it() {
        let bytes = vec![b'p'; 4 * PART_LEN];
        let document = Document::from(Bytes::from(bytes.clone()));
        let known = |document: &Document| document.prefix.parts().len();
        let digest = |document: &Document, offset: usize, len: usize| {
            let part = &document.bytes()[offset..offset + len];
            assert_eq!(
                digest_of_part(document, offset, len),
                openssl::sha::sha256(part)
            );
        };
        digest(&document, 1, PART_LEN - 1);
        assert_eq!(known(&document), 0, "it is short");
        for _ in 0..2 {
            digest(&document, 1, PART_LEN);
            digest(&document, PART_LEN + 1, PART_LEN);
        }
        assert_eq!(known(&document), 2);

        let mut changed = bytes;
        changed[2 * PART_LEN] = b'c';
        let output = document.followed_by(changed.into(), 2 * PART_LEN as u64);

        assert_eq!(known(&output), 1);
        digest(&output, 1, PART_LEN);
        digest(&output, PART_LEN + 1, PART_LEN);
    }

    #[test]
    fn a_part_that_is_known_is_not_hashed_again() {
        let document = Document::from(Bytes::from(vec![b'p'; 2 * PART_LEN]));
        let part = Part {
            algorithm: ALGORITHM,
            offset: 1,
            len: PART_LEN,
        };
        let mut other = Hasher::new(message_digest(ALGORITHM)).unwrap();
        other.update(b"other bytes").unwrap();
        document.prefix.keep(part, &other);

        let told = digest_of_part(&document, 1, PART_LEN + 4);

        assert_eq!(told, openssl::sha::sha256(b"other bytespppp"));
    }

    #[test]
    fn a_part_that_ends_in_what_an_output_has_of_its_own_is_hashed_for_each() {
        let mut bytes = vec![b'p'; 2 * PART_LEN + 8];
        let document = Document::from(Bytes::from(bytes.clone()));
        digest_of_part(&document, 9, 2 * PART_LEN - 1);
        *bytes.last_mut().unwrap() = b'c';
        let copied = document.prefix.len as u64;
        let output = document.followed_by(bytes.clone().into(), copied);

        let told = digest_of_part(&output, 8, 2 * PART_LEN);

        assert!(Arc::ptr_eq(&document.prefix, &output.prefix));
        assert_eq!(told, openssl::sha::sha256(&bytes[8..]));
        assert_eq!(output.prefix.parts().len(), 1, "only what both have");
    }

    #[test]
    fn no_more_parts_than_that_are_remembered() {
        let document = Document::from(Bytes::from(vec![b'p'; 2 * PART_LEN]));
        for offset in 1..=2 * MOST_PARTS {
            digest_of_part(&document, offset, PART_LEN);
        }

        assert_eq!(document.prefix.parts().len(), MOST_PARTS);
    }

    #[test]
    fn less_than_the_known_beginning_is_hashed_from_the_first_byte_on() {
        let document = document(LEN);

        assert_eq!(digest_of_first(&document, 3), sha256(3));
        assert!(!document.is_hashed(ALGORITHM));
    }

    #[test]
    fn an_output_that_copies_less_than_what_is_known_has_a_beginning_of_its_own() {
        let document = document(LEN);
        digest_of_first(&document, LEN);

        let other = document.followed_by(Bytes::from_static(BYTES), 2 * BLOCK_LEN as u64 - 1);
        let shorter = Document::with_prefix(
            Bytes::from_static(&BYTES[..3]),
            Arc::clone(&document.prefix),
        );

        for other in [other, shorter] {
            let len = other.bytes().len();
            assert_eq!(digest_of_first(&other, len), sha256(len));
            assert!(!Arc::ptr_eq(&document.prefix, &other.prefix));
        }
    }

    #[test]
    fn an_output_of_a_document_without_a_full_block_has_a_beginning_of_its_own() {
        let document = document(BLOCK_LEN - 1);

        let output = document.followed_by(Bytes::from_static(BYTES), BLOCK_LEN as u64 - 1);

        assert_eq!(output.prefix.len, BYTES.len());
        assert_eq!(digest_of_first(&output, BYTES.len()), sha256(BYTES.len()));
    }

    #[test]
    fn every_algorithm_has_its_own_state() {
        let long = vec![b'p'; PART_LEN + BLOCK_LEN];
        let documents = (document(LEN), Document::from(Bytes::from(long.clone())));
        for algorithm in DigestAlgorithm::ALL.iter().copied() {
            for _ in 0..2 {
                let (mut hasher, known) = documents.0.begin_digest(algorithm, LEN).unwrap();
                assert_eq!(known, 2 * BLOCK_LEN);
                let expected = openssl::hash::hash(message_digest(algorithm), &BYTES[..known]);
                assert_eq!(*hasher.finish().unwrap(), *expected.unwrap(), "{algorithm}");

                let part = documents.1.digest_part(algorithm, 1..PART_LEN + 1);
                let expected = openssl::hash::hash(message_digest(algorithm), &long[..PART_LEN]);
                assert_eq!(
                    *part.unwrap().finish().unwrap(),
                    *expected.unwrap(),
                    "{algorithm}"
                );
            }
        }
    }

    fn document(len: usize) -> Document {
        Bytes::from_static(&BYTES[..len]).into()
    }

    fn digest_of_first(document: &Document, len: usize) -> [u8; 32] {
        let (mut hasher, known) = document.begin_digest(ALGORITHM, len).unwrap();
        hasher.update(&document.bytes()[known..len]).unwrap();
        hasher.finish().unwrap().as_ref().try_into().unwrap()
    }

    fn digest_of_part(document: &Document, offset: usize, len: usize) -> [u8; 32] {
        let hasher = document.digest_part(ALGORITHM, offset..offset + len);
        hasher
            .unwrap()
            .finish()
            .unwrap()
            .as_ref()
            .try_into()
            .unwrap()
    }

    fn sha256(len: usize) -> [u8; 32] {
        openssl::sha::sha256(&BYTES[..len])
    }
}
