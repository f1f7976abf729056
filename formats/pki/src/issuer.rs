use std::cell::OnceCell;

use parafa_format_core::{DigestAlgorithm, Environment, Part};

use crate::Certificate;

/// An authority, as the subject of revocation checks.
///
/// OCSP responses name it by digests of its name and key (RFC 6960, 4.1.1).
/// Each digest is computed once, for any number of responses.
#[derive(Clone, Debug)]
pub struct Issuer<'a> {
    certificate: Certificate<'a>,
    digests: [OnceCell<Option<IssuerDigests>>; DigestAlgorithm::ALL.len()],
}

/// Digests that name an issuer in a CertID.
#[derive(Clone, Debug)]
pub(crate) struct IssuerDigests {
    /// Digest of the DER-encoded Name.
    pub(crate) name: Vec<u8>,
    /// Digest of the public key octets.
    pub(crate) key: Vec<u8>,
}

impl<'a> Issuer<'a> {
    /// Creates the authority with this certificate.
    #[must_use]
    pub fn new(certificate: Certificate<'a>) -> Self {
        Self {
            certificate,
            digests: Default::default(),
        }
    }

    /// Returns its certificate.
    #[must_use]
    pub fn certificate(&self) -> &Certificate<'a> {
        &self.certificate
    }

    /// Returns its digests; `None` if its public key cannot be read.
    pub(crate) fn digests<E: Environment>(
        &self,
        environment: &E,
        algorithm: DigestAlgorithm,
    ) -> Option<&IssuerDigests> {
        let known = &self.digests[algorithm as usize];
        let digest = |bytes| environment.digest(algorithm, &[Part::Bytes(bytes)]);
        let compute = || {
            Some(IssuerDigests {
                name: digest(self.certificate.subject()),
                key: digest(self.certificate.subject_public_key()?),
            })
        };
        known.get_or_init(compute).as_ref()
    }
}
