//! Common structure of certificates, CRLs and OCSP responses: a value, the
//! algorithm, and the signature over the encoded value.

use der::Tag;
use parafa_format_core::{Environment, SignatureAlgorithm};

use crate::algorithm::decode_signature;
use crate::asn1::{Element, Elements};
use crate::{Certificate, Error};

/// A signed value (the SIGNED macro of X.509).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signed<'a> {
    /// Signed part.
    pub(crate) value: Element<'a>,
    /// `None` if it is not in the catalogue.
    algorithm: Option<SignatureAlgorithm>,
    signature: &'a [u8],
}

impl<'a> Signed<'a> {
    /// Reads value, algorithm and signature: the next three elements.
    pub(crate) fn read(what: &'static str, parts: &mut Elements<'a>) -> Result<Self, Error> {
        let value = parts.expect(Tag::Sequence)?;
        let algorithm = decode_signature(parts.expect(Tag::Sequence)?, None)?;
        let bits = parts.expect(Tag::BitString)?;
        let Some((0, signature)) = bits.value.split_first() else {
            return Err(Error::unexpected(what));
        };
        Ok(Self {
            value,
            algorithm,
            signature,
        })
    }

    /// Returns whether the signature was made with the key of a certificate.
    pub(crate) fn verifies<E: Environment>(
        &self,
        environment: &E,
        signer: &Certificate<'_>,
    ) -> bool {
        let Some(algorithm) = self.algorithm else {
            return false;
        };
        let digest = environment.digest_to_verify(algorithm, self.value.der);
        let verified = environment.verify(
            signer.subject_public_key_info(),
            algorithm,
            &digest,
            self.signature,
        );
        verified == Ok(true)
    }
}
