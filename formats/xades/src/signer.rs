//! The signer: the certificate named by SigningCertificate, and no other (EN
//! 319 132-1, 5.2.2).

use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm};
use parafa_pki::{Certificate, ecdsa};

use crate::fault::Fault;
use crate::names::{self, DSIG, XADES};
use crate::signature::{Signature, binary, only};

/// Digest of the signer's certificate.
pub(crate) struct CertificateDigest {
    algorithm: DigestAlgorithm,
    value: Vec<u8>,
}

impl CertificateDigest {
    /// Reads the first certificate of SigningCertificate or
    /// SigningCertificateV2; one is required. Issuer and serial number beside
    /// it are ignored: the digest is unambiguous.
    pub(crate) fn read(signature: Signature<'_>) -> Result<Self, Fault> {
        const WHAT: &str = "SigningCertificate";

        let properties = signature.signed_signature_properties()?;
        let mut lists = properties.children().filter(|child| {
            child.is(XADES, "SigningCertificate") || child.is(XADES, "SigningCertificateV2")
        });
        let (Some(list), None) = (lists.next(), lists.next()) else {
            return Err(Fault::NotOnce(WHAT));
        };
        let first = list.children_named(XADES, "Cert").next();
        let first = first.ok_or(Fault::Unreadable(WHAT))?;
        let digest = only(first, XADES, "CertDigest")?;
        let uri = only(digest, DSIG, "DigestMethod")?.attribute("Algorithm");
        let uri = uri.unwrap_or_default();
        let value = only(digest, DSIG, "DigestValue")?;
        Ok(Self {
            algorithm: names::digest_algorithm(uri)
                .ok_or_else(|| Fault::Algorithm(uri.to_owned()))?,
            value: binary(value).ok_or(Fault::Unreadable(WHAT))?,
        })
    }

    /// Returns whether this is the digest of a certificate.
    pub(crate) fn names<E: Environment>(&self, environment: &E, certificate: &[u8]) -> bool {
        environment.digest(self.algorithm, &[Part::Bytes(certificate)]) == self.value
    }
}

/// Converts the value to the catalogue's form: octets for RSA, DER for ECDSA.
pub(crate) fn value_of(
    raw: &[u8],
    algorithm: SignatureAlgorithm,
    signer: &Certificate<'_>,
) -> Result<Vec<u8>, Fault> {
    match algorithm {
        SignatureAlgorithm::Ecdsa(_) => {
            let field_bytes = ecdsa::field_bytes(signer.subject_public_key_info());
            let field_bytes = field_bytes.ok_or_else(|| match signer.rsa_modulus_len() {
                Some(_) => Fault::Value,
                None => Fault::Key("its curve is not known".into()),
            })?;
            ecdsa::to_der(raw, field_bytes).ok_or(Fault::Unreadable("SignatureValue"))
        }
        _ => Ok(raw.to_vec()),
    }
}
