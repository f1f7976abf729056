use std::cell::RefCell;

use parafa_format_core::{
    DigestAlgorithm, Environment, HashFunction, MemoryBlob, NativeEnvironment, NativeHasher, Part,
    SignatureAlgorithm,
};

/// Records the input of each digest.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) digested: RefCell<Vec<Vec<u8>>>,
    /// Supports no elliptic curves, as a host without the Brainpool curves (RFC
    /// 5639).
    pub(crate) is_without_curves: bool,
}

impl Environment for Watched {
    type Blob = MemoryBlob;
    type Hasher = NativeHasher;

    fn hasher(&self, function: HashFunction) -> NativeHasher {
        NativeEnvironment.hasher(function)
    }

    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, MemoryBlob>]) -> Vec<u8> {
        if let [Part::Bytes(bytes)] = parts {
            self.digested.borrow_mut().push(bytes.to_vec());
        }
        NativeEnvironment.digest(algorithm, parts)
    }

    fn inflate(
        &self,
        source: &MemoryBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<MemoryBlob, String> {
        NativeEnvironment.inflate(source, offset, len, most)
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        if self.is_without_curves && matches!(algorithm, SignatureAlgorithm::Ecdsa(_)) {
            return Err("no such curve".to_owned());
        }
        NativeEnvironment.verify(spki, algorithm, digest, signature)
    }
}
