use std::cell::Cell;

use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm};

use crate::limits::Limits;

/// An environment that does so much for the chains of one document and no
/// more: whoever made the document chose the certificates and lists in it. What
/// goes beyond is as if it did not verify.
pub(super) struct Budget<'e, E> {
    environment: &'e E,
    signatures: Cell<usize>,
    digested_bytes: Cell<usize>,
}

impl<'e, E> Budget<'e, E> {
    pub(super) fn new(environment: &'e E, limits: &Limits) -> Self {
        Self {
            environment,
            signatures: Cell::new(limits.chain_signatures),
            digested_bytes: Cell::new(limits.chain_digested_bytes),
        }
    }

    /// Whether so many bytes may be digested.
    pub(super) fn spend_bytes(&self, bytes: usize) -> bool {
        spend(&self.digested_bytes, bytes)
    }
}

impl<E: Environment> Environment for Budget<'_, E> {
    type Blob = E::Blob;

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

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        if digest.is_empty() || !spend(&self.signatures, 1) {
            return Err("too much is to be verified".to_owned());
        }
        self.environment.verify(spki, algorithm, digest, signature)
    }
}

/// Takes an amount of what remains, if there is so much.
fn spend(remaining: &Cell<usize>, amount: usize) -> bool {
    let left = remaining.get().checked_sub(amount);
    remaining.set(left.unwrap_or(remaining.get()));
    left.is_some()
}

#[cfg(test)]
mod tests {
    use parafa_format_core::{MemoryBlob, NativeEnvironment};

    use super::*;

    #[test]
    fn what_is_beyond_the_budget_does_not_verify() {
        let limits = Limits {
            chain_digested_bytes: 10,
            ..Limits::default()
        };
        let budget = Budget::new(&NativeEnvironment, &limits);
        let digest = |len: usize| {
            let bytes = vec![7; len];
            let parts: [Part<'_, MemoryBlob>; 1] = [Part::Bytes(&bytes)];
            budget.digest(DigestAlgorithm::Sha256, &parts)
        };

        assert_eq!(digest(8).len(), 32);
        assert_eq!(digest(8).len(), 0);
        assert_eq!(digest(2).len(), 32);
        let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
        assert!(budget.verify(&[], algorithm, &[], &[]).is_err());
    }
}
