//! The host's side of the contract's resources.
#![expect(
    unreachable_pub,
    reason = "the generated bindings re-export these types"
)]

use openssl::error::ErrorStack;

use crate::crypto::message_digest;
use crate::{DigestAlgorithm, Document};

/// A document of a call, by its place among them.
#[derive(Clone, Copy, Debug)]
pub struct Blob(pub(crate) usize);

/// The output of a call; there is one.
#[derive(Debug)]
pub struct Sink;

/// A digest in the making.
pub struct Hasher {
    algorithm: DigestAlgorithm,
    /// None before the first byte.
    state: Option<openssl::hash::Hasher>,
}

impl Hasher {
    pub(crate) fn new(algorithm: DigestAlgorithm) -> Self {
        Self {
            algorithm,
            state: None,
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) -> Result<(), ErrorStack> {
        self.begun()?.update(bytes)
    }

    /// Takes in the first bytes of `document`.
    pub(crate) fn update_from_start(
        &mut self,
        document: &Document,
        bytes: &[u8],
    ) -> Result<(), ErrorStack> {
        if self.state.is_some() {
            return self.update(bytes);
        }
        let (state, known) = document.begin_digest(self.algorithm, bytes.len())?;
        self.state
            .insert(state)
            .update(bytes.get(known..).unwrap_or_default())
    }

    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, ErrorStack> {
        let digest = self.begun()?.finish()?;
        self.state = None;
        Ok(digest.to_vec())
    }

    fn begun(&mut self) -> Result<&mut openssl::hash::Hasher, ErrorStack> {
        let state = match self.state.take() {
            Some(state) => state,
            None => openssl::hash::Hasher::new(message_digest(self.algorithm))?,
        };
        Ok(self.state.insert(state))
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
        let mut hasher = Hasher::new(DigestAlgorithm::Sha256);
        for _ in 0..2 {
            hasher.update_from_start(&document, &bytes).unwrap();
            hasher.update(b", signed").unwrap();
            assert_eq!(
                hasher.finish().unwrap(),
                openssl::sha::sha256(b"document, signed")
            );

            hasher.update(b"a ").unwrap();
            hasher.update_from_start(&document, &bytes).unwrap();
            assert_eq!(
                hasher.finish().unwrap(),
                openssl::sha::sha256(b"a document")
            );
        }
    }
}
