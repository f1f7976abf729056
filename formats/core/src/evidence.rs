//! Evidence about the signatures of a document. Whom to trust is for others to
//! decide.

use std::collections::BTreeMap;

use parafa_catalogue::{
    ChangeKind, CoverageKind, Integrity, SignatureAlgorithm, SignatureKind, TimestampKind,
    TimestampStatus,
};

use crate::Payload;

/// Evidence about all signatures of a document. DER objects stand here once,
/// however many signatures come with them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// DER of certificates.
    pub certificates: Vec<Vec<u8>>,
    /// DER of OCSP responses and CRLs.
    pub revocation: Vec<Vec<u8>>,
    /// Every signature and document time-stamp, in the order in which they were
    /// made.
    pub signatures: Vec<SignatureEvidence>,
}

/// Evidence about one signature. Numbers are places in the lists of
/// [`Evidence`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureEvidence {
    /// Identifier within the document.
    pub id: String,
    /// What signed.
    pub kind: SignatureKind,
    /// When it was made, by its own word, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// What the value is a signature of, not hashed; the digest of it where the
    /// bytes are long.
    pub signed: Payload,
    /// The signature value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// How it was signed; `None` when the algorithm is not in the catalogue.
    pub algorithm: Option<SignatureAlgorithm>,
    /// The signer's certificate; `None` when the document does not have it.
    pub signer_certificate: Option<u32>,
    /// All certificates that come with the signature.
    pub certificates: Vec<u32>,
    /// The OCSP responses and CRLs that come with the signature.
    pub revocation: Vec<u32>,
    /// Time-stamps of the signature, also those of something else; of a document
    /// time-stamp the token that it is.
    pub timestamps: Vec<TimestampEvidence>,
    /// How much it covers.
    pub coverage: Coverage,
    /// Whether it still holds.
    pub integrity: Integrity,
    /// What was changed after it.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
}

/// Evidence about one time-stamp.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampEvidence {
    /// What it stamps.
    pub kind: TimestampKind,
    /// DER of the RFC 3161 token, or of the OCSP response of a time-mark.
    pub token: Vec<u8>,
    /// The time that it tells (`genTime`), seconds since the Unix epoch; `None`
    /// when it cannot be read.
    pub time: Option<i64>,
    /// Whether it is one of the signature.
    pub status: TimestampStatus,
}

/// What a signature covers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Coverage {
    /// How much.
    pub kind: CoverageKind,
    /// The ids of the members that it covers whole; empty for formats without
    /// members.
    pub members: Vec<String>,
}

/// What was changed after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// What, whether it is permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why it cannot be
    /// told, as a sentence.
    pub unpermitted: Option<String>,
}

impl LaterChanges {
    /// Changes that the signature permits.
    #[must_use]
    pub fn permitted(kind: ChangeKind) -> Self {
        Self {
            kind,
            unpermitted: None,
        }
    }
}

/// Collects the DER objects of evidence, and tells the place of each.
#[derive(Debug, Default)]
pub struct EvidencePool {
    certificates: Pool,
    revocation: Pool,
}

#[derive(Debug, Default)]
struct Pool(BTreeMap<Vec<u8>, u32>);

impl Evidence {
    /// DER of the signer's certificate.
    #[must_use]
    pub fn signer_certificate(&self, signature: &SignatureEvidence) -> Option<&[u8]> {
        at(&self.certificates, signature.signer_certificate?)
    }

    /// DER of the certificates that come with a signature.
    pub fn certificates<'e>(
        &'e self,
        signature: &'e SignatureEvidence,
    ) -> impl Iterator<Item = &'e [u8]> {
        let places = signature.certificates.iter();
        places.filter_map(|place| at(&self.certificates, *place))
    }

    /// DER of the OCSP responses and CRLs that come with a signature.
    pub fn revocation<'e>(
        &'e self,
        signature: &'e SignatureEvidence,
    ) -> impl Iterator<Item = &'e [u8]> {
        let places = signature.revocation.iter();
        places.filter_map(|place| at(&self.revocation, *place))
    }
}

impl From<CoverageKind> for Coverage {
    /// Coverage of a format without members.
    fn from(kind: CoverageKind) -> Self {
        Self {
            kind,
            members: Vec::new(),
        }
    }
}

impl EvidencePool {
    /// The place of a certificate, which is added unless it is there.
    pub fn certificate(&mut self, der: &[u8]) -> u32 {
        self.certificates.place(der)
    }

    /// The places of certificates.
    pub fn certificates<D: AsRef<[u8]>>(&mut self, ders: impl IntoIterator<Item = D>) -> Vec<u32> {
        self.certificates.places(ders)
    }

    /// The places of OCSP responses and CRLs, which are added unless they are
    /// there.
    pub fn revocation<D: AsRef<[u8]>>(&mut self, ders: impl IntoIterator<Item = D>) -> Vec<u32> {
        self.revocation.places(ders)
    }

    /// The evidence about signatures that were given their places here.
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
