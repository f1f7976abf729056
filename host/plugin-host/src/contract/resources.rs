//! The host's side of the contract's resources.
#![expect(
    unreachable_pub,
    reason = "the generated bindings re-export these types"
)]

use std::ops::Range;

use openssl::error::ErrorStack;
use parafa_catalogue::{DigestAlgorithm, HashFunction};

use super::crypto::{finish, message_digest};
use crate::Document;

/// A document within a call.
#[derive(Clone, Debug)]
pub enum Blob {
    /// A document of the call, by its index.
    Given(usize),
    /// The inflated content of a part.
    Inflated(Document),
}

/// The only output of a call.
#[derive(Debug)]
pub struct Sink;

/// A digest in the making.
pub struct Hasher {
    state: State,
    /// True if a part could not be inflated.
    is_spoilt: bool,
}

enum State {
    Crc32(crc32fast::Hasher),
    Digest {
        algorithm: DigestAlgorithm,
        /// `None` before the first byte.
        begun: Option<openssl::hash::Hasher>,
    },
}

impl Hasher {
    pub(crate) fn new(function: HashFunction) -> Self {
        Self {
            state: match function {
                HashFunction::Crc32 => State::Crc32(crc32fast::Hasher::new()),
                HashFunction::Digest(algorithm) => State::Digest {
                    algorithm,
                    begun: None,
                },
            },
            is_spoilt: false,
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) -> Result<(), ErrorStack> {
        match &mut self.state {
            State::Crc32(crc) => {
                crc.update(bytes);
                Ok(())
            }
            State::Digest { algorithm, begun } => {
                let mut hasher = begin(*algorithm, begun)?;
                let updated = hasher.update(bytes);
                *begun = Some(hasher);
                updated
            }
        }
    }

    /// Adds a part of `document`, or nothing if the range is outside it.
    pub(crate) fn update_part(
        &mut self,
        document: &Document,
        range: Range<usize>,
    ) -> Result<(), ErrorStack> {
        match &mut self.state {
            State::Digest {
                algorithm,
                begun: begun @ None,
            } => {
                *begun = Some(document.digest_part(*algorithm, range)?);
                Ok(())
            }
            _ => self.update(document.bytes().get(range).unwrap_or_default()),
        }
    }

    /// Invalidates the digest.
    pub(crate) fn spoil(&mut self) {
        self.is_spoilt = true;
    }

    /// Returns the digest, unless it is invalidated.
    pub(crate) fn finish(&mut self) -> Result<Option<Vec<u8>>, ErrorStack> {
        if self.is_spoilt {
            return Ok(None);
        }
        Ok(Some(match &mut self.state {
            State::Crc32(crc) => std::mem::take(crc).finalize().to_be_bytes().to_vec(),
            State::Digest { algorithm, begun } => {
                finish(*algorithm, &mut begin(*algorithm, begun)?)?
            }
        }))
    }
}

/// Takes the digest in progress out of its place, or creates a new one.
fn begin(
    algorithm: DigestAlgorithm,
    begun: &mut Option<openssl::hash::Hasher>,
) -> Result<openssl::hash::Hasher, ErrorStack> {
    match begun.take() {
        Some(hasher) => Ok(hasher),
        None => openssl::hash::Hasher::new(message_digest(algorithm)),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_digest_goes_on_from_what_is_known_of_a_document_only_when_it_begins_with_it() {
        let bytes = Bytes::from_static(b"document");
        let document = Document::from(bytes.clone());
        let mut hasher = Hasher::new(DigestAlgorithm::Sha256.into());
        for _ in 0..2 {
            hasher.update_part(&document, 0..bytes.len()).unwrap();
            hasher.update(b", signed").unwrap();
            assert_eq!(
                hasher.finish().unwrap().unwrap(),
                openssl::sha::sha256(b"document, signed")
            );

            hasher.update(b"a ").unwrap();
            hasher.update_part(&document, 0..bytes.len()).unwrap();
            assert_eq!(
                hasher.finish().unwrap().unwrap(),
                openssl::sha::sha256(b"a document")
            );
        }
    }

    #[test]
    fn a_check_value_has_its_first_byte_first_and_is_computed_anew_after_it() {
        let mut hasher = Hasher::new(HashFunction::Crc32);
        for _ in 0..2 {
            hasher.update(b"12345").unwrap();
            hasher.update(b"6789").unwrap();
            // The check value of the algorithm's definition.
            assert_eq!(hasher.finish().unwrap().unwrap(), [0xcb, 0xf4, 0x39, 0x26]);
        }
    }
}
