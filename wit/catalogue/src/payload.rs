use alloc::vec::Vec;

use crate::DigestAlgorithm;

/// A digest with its algorithm.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Digest {
    /// Its algorithm.
    pub algorithm: DigestAlgorithm,
    /// The digest.
    pub value: Vec<u8>,
}

/// Bytes to process, or their digest where that is enough.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Payload {
    /// The bytes, not hashed.
    Bytes(Vec<u8>),
    /// Their digest.
    Digest(Digest),
}

impl Payload {
    /// Returns the bytes; `None` if it is only their digest.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Digest(_) => None,
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}
