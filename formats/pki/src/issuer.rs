use std::cell::OnceCell;

use parafa_format_core::{DigestAlgorithm, Environment, Part};

use crate::Certificate;

/// An authority of whose certificates revocation data tell.
///
/// OCSP responses name it by digests of its name and key (RFC 6960, 4.1.1). Each
/// is computed once, however many responses are compared with it.
#[derive(Clone, Debug)]
pub struct Issuer<'a> {
    certificate: Certificate<'a>,
    digests: [OnceCell<Option<IssuerDigests>>; DigestAlgorithm::ALL.len()],
}

/// What a CertID names an issuer by.
#[derive(Clone, Debug)]
pub(crate) struct IssuerDigests {
    /// Of the DER of its Name.
    pub(crate) name: Vec<u8>,
    /// Of the octets of its public key.
    pub(crate) key: Vec<u8>,
}

impl<'a> Issuer<'a> {
    /// The authority with this certificate.
    #[must_use]
    pub fn new(certificate: Certificate<'a>) -> Self {
        Self {
            certificate,
            digests: Default::default(),
        }
    }

    /// Its certificate.
    #[must_use]
    pub fn certificate(&self) -> &Certificate<'a> {
        &self.certificate
    }

    /// Its digests; `None` when its public key cannot be read.
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
