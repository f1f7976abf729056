//! Evidence about the signatures of a document. Trust is decided elsewhere.

use std::collections::BTreeMap;

/// Evidence about all signatures of a document. Each DER object is listed once,
/// for any number of signatures.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// DER-encoded certificates.
    pub certificates: Vec<Vec<u8>>,
    /// DER-encoded OCSP responses and CRLs.
    pub revocation: Vec<Vec<u8>>,
    /// Every signature and document time-stamp, in the order in which they were
    /// made.
    pub signatures: Vec<SignatureEvidence>,
}

/// Evidence about one signature. Its DER objects are indices into the lists of
/// [`Evidence`].
pub type SignatureEvidence = parafa_catalogue::SignatureEvidence<u32>;

/// Collects the DER objects of evidence and assigns their indices.
#[derive(Debug, Default)]
pub struct EvidencePool {
    certificates: Pool,
    revocation: Pool,
}

#[derive(Debug, Default)]
struct Pool(BTreeMap<Vec<u8>, u32>);

impl Evidence {
    /// Returns the DER-encoded signer certificate.
    #[must_use]
    pub fn signer_certificate(&self, signature: &SignatureEvidence) -> Option<&[u8]> {
        at(&self.certificates, signature.signer_certificate?)
    }

    /// Returns the DER-encoded certificates in a signature.
    pub fn certificates<'e>(
        &'e self,
        signature: &'e SignatureEvidence,
    ) -> impl Iterator<Item = &'e [u8]> {
        let places = signature.certificates.iter();
        places.filter_map(|place| at(&self.certificates, *place))
    }

    /// Returns the DER-encoded OCSP responses and CRLs in a signature.
    pub fn revocation<'e>(
        &'e self,
        signature: &'e SignatureEvidence,
    ) -> impl Iterator<Item = &'e [u8]> {
        let places = signature.revocation.iter();
        places.filter_map(|place| at(&self.revocation, *place))
    }
}

impl EvidencePool {
    /// Returns the index of a certificate, adding it if it is new.
    pub fn certificate(&mut self, der: &[u8]) -> u32 {
        self.certificates.place(der)
    }

    /// Returns the indices of certificates.
    pub fn certificates<D: AsRef<[u8]>>(&mut self, ders: impl IntoIterator<Item = D>) -> Vec<u32> {
        self.certificates.places(ders)
    }

    /// Returns the indices of OCSP responses and CRLs, adding new ones.
    pub fn revocation<D: AsRef<[u8]>>(&mut self, ders: impl IntoIterator<Item = D>) -> Vec<u32> {
        self.revocation.places(ders)
    }

    /// Returns the evidence about signatures with indices from this pool.
    #[must_use]
    pub fn into_evidence(self, signatures: Vec<SignatureEvidence>) -> Evidence {
        Evidence {
            certificates: self.certificates.into_list(),
            revocation: self.revocation.into_list(),
            signatures,
        }
    }
}

impl Pool {
    fn place(&mut self, der: &[u8]) -> u32 {
        if let Some(place) = self.0.get(der) {
            return *place;
        }
        let place =
            u32::try_from(self.0.len()).expect("memory has no room for four billion objects");
        self.0.insert(der.to_vec(), place);
        place
    }

    fn places<D: AsRef<[u8]>>(&mut self, ders: impl IntoIterator<Item = D>) -> Vec<u32> {
        let ders = ders.into_iter();
        ders.map(|der| self.place(der.as_ref())).collect()
    }

    fn into_list(self) -> Vec<Vec<u8>> {
        let mut objects: Vec<_> = self.0.into_iter().collect();
        objects.sort_unstable_by_key(|(_, place)| *place);
        objects.into_iter().map(|(der, _)| der).collect()
    }
}

fn at(list: &[Vec<u8>], place: u32) -> Option<&[u8]> {
    let der = list.get(usize::try_from(place).ok()?)?;
    Some(der)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_many_signatures_stands_in_the_evidence_once() {
        let mut pool = EvidencePool::default();

        assert_eq!(pool.certificate(b"second in order"), 0);
        assert_eq!(pool.certificates([b"first", b"other"]), [1, 2]);
        assert_eq!(pool.certificates([b"other", b"first"]), [2, 1]);
        assert_eq!(pool.revocation([b"first"]), [0]);

        let evidence = pool.into_evidence(Vec::new());
        assert_eq!(
            evidence.certificates,
            [&b"second in order"[..], b"first", b"other"]
        );
        assert_eq!(evidence.revocation, [b"first"]);
    }
}
