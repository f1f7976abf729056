use std::cell::Cell;

use parafa_format_core::{
    DigestAlgorithm, Environment, HashFunction, Part, Refusal, SignatureAlgorithm, refusal,
};

/// Work limits for the chains of one document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChainLimits {
    /// Certificates, and revocation data, searched for chains.
    pub candidates: usize,
    /// Verified signatures of certificates, revocation data and time-stamps.
    pub signatures: usize,
    /// Bytes digested for these.
    pub digested_bytes: usize,
}

impl Default for ChainLimits {
    fn default() -> Self {
        Self {
            candidates: 5_000,
            signatures: 2_000,
            digested_bytes: 256 * 1024 * 1024,
        }
    }
}

/// An environment with limited work for the chains of one document: its author
/// chose the certificates and CRLs in it. After exhaustion, its answers are
/// meaningless.
#[derive(Debug)]
pub struct Budget<'e, E> {
    environment: &'e E,
    candidates: usize,
    signatures: Cell<usize>,
    digested_bytes: Cell<usize>,
    is_exhausted: Cell<bool>,
}

impl<'e, E> Budget<'e, E> {
    /// Creates a full budget.
    pub fn new(environment: &'e E, limits: &ChainLimits) -> Self {
        Self {
            environment,
            candidates: limits.candidates,
            signatures: Cell::new(limits.signatures),
            digested_bytes: Cell::new(limits.digested_bytes),
            is_exhausted: Cell::new(false),
        }
    }

    /// Returns the environment without limits.
    pub(crate) fn unlimited(&self) -> &'e E {
        self.environment
    }

    /// Returns the maximum number of certificates, and of revocation data, per
    /// material.
    pub(crate) fn candidates(&self) -> usize {
        self.candidates
    }

    /// Returns whether a limit was exceeded.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

    /// Marks the budget as exhausted.
    pub(crate) fn exhaust(&self) {
        self.is_exhausted.set(true);
    }

    /// Charges this many bytes; returns whether they were available.
    pub(crate) fn spend_bytes(&self, bytes: usize) -> bool {
        self.spend(&self.digested_bytes, bytes)
    }

    /// Charges an amount; returns whether it was available.
    fn spend(&self, remaining: &Cell<usize>, amount: usize) -> bool {
        let left = remaining.get().checked_sub(amount);
        match left {
            Some(left) => remaining.set(left),
            None => self.exhaust(),
        }
        left.is_some()
    }
}

impl<E: Environment> Environment for Budget<'_, E> {
    type Blob = E::Blob;
    type Hasher = E::Hasher;

    /// No data of a chain is hashed incrementally.
    fn hasher(&self, function: HashFunction) -> E::Hasher {
        self.environment.hasher(function)
    }

    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, E::Blob>]) -> Vec<u8> {
        let len = parts.iter().map(|part| match part {
            Part::Bytes(bytes) => bytes.len(),
            Part::Range { len, .. } => usize::try_from(*len).unwrap_or(usize::MAX),
        });
        if self.spend_bytes(len.fold(0, usize::saturating_add)) {
            self.environment.digest(algorithm, parts)
        } else {
            Vec::new()
        }
    }

    fn inflate(
        &self,
        source: &E::Blob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<E::Blob, String> {
        self.environment.inflate(source, offset, len, most)
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        if digest.is_empty() || !self.spend(&self.signatures, 1) {
            return Err("too much is to be verified".to_owned());
        }
        self.environment.verify(spki, algorithm, digest, signature)
    }
}

/// Returns the refusal of chains that exceed the work limits.
#[must_use]
pub fn too_much_to_verify() -> Refusal {
    Refusal::new(
        refusal::TOO_MUCH_TO_VERIFY,
        "The certificates and revocation data of the document take more work than is done.",
    )
}

#[cfg(test)]
mod tests {
    use parafa_format_core::{MemoryBlob, NativeEnvironment};

    use super::*;

    #[test]
    fn what_is_beyond_the_budget_exhausts_it() {
        let limits = ChainLimits {
            candidates: 1,
            signatures: 1,
            digested_bytes: 10,
        };
        let budget = Budget::new(&NativeEnvironment, &limits);
        let digest = |len: usize| {
            let bytes = vec![7; len];
            let parts: [Part<'_, MemoryBlob>; 1] = [Part::Bytes(&bytes)];
            budget.digest(DigestAlgorithm::Sha256, &parts)
        };

        assert_eq!(digest(8).len(), 32);
        assert!(!budget.is_exhausted());
        assert_eq!(digest(8).len(), 0);
        assert!(budget.is_exhausted());
        assert_eq!(digest(2).len(), 32);
        let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
        assert!(budget.verify(&[], algorithm, &[], &[]).is_err());
    }
}
