use crate::{DigestAlgorithm, SignatureAlgorithm};

/// A document that stays with the host; a format reads the parts it needs.
pub trait Blob {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Whether there is no byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `offset` on, fewer than `len` at the end only.
    fn read(&self, offset: u64, len: u32) -> Vec<u8>;

    /// The whole document, read in chunks.
    fn read_all(&self) -> Vec<u8> {
        const CHUNK: u32 = 256 * 1024;

        let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
        let mut offset = 0;
        while offset < self.len() {
            let chunk = self.read(offset, CHUNK);
            if chunk.is_empty() {
                break;
            }
            offset += chunk.len() as u64;
            bytes.extend_from_slice(&chunk);
        }
        bytes
    }
}

/// An output, written once from its start to its end.
pub trait Sink<B: Blob> {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]);

    /// Appends a part of a document without reading it.
    fn copy(&mut self, source: &B, offset: u64, len: u64);
}

/// A part of what is hashed.
#[derive(Debug)]
pub enum Part<'a, B> {
    /// Bytes at hand.
    Bytes(&'a [u8]),
    /// A range of a document.
    Range {
        /// The document.
        source: &'a B,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        len: u64,
    },
}

/// The cryptographic work that a format hands to its surroundings: the host
/// when it runs as a plugin, [`crate::NativeEnvironment`] otherwise.
pub trait Environment {
    /// The kind of document that parts of are hashed.
    type Blob: Blob;

    /// The digest of the parts, one after the other.
    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, Self::Blob>]) -> Vec<u8>;

    /// Whether `signature` signs `digest` under the DER SubjectPublicKeyInfo
    /// `spki`; an error says why that cannot be computed.
    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String>;
}
