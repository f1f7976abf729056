//! Who signed: the certificate that SigningCertificate names, and no other
//! (EN 319 132-1, 5.2.2).

use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm};
use parafa_pki::{Certificate, ecdsa};

use crate::fault::Fault;
use crate::names::{self, DSIG, XADES};
use crate::signature::{Signature, binary, only};

/// The digest of the signer's certificate.
pub(crate) struct CertificateDigest {
    algorithm: DigestAlgorithm,
    value: Vec<u8>,
}

impl CertificateDigest {
    /// The first one of SigningCertificate or SigningCertificateV2, of which
    /// there has to be one. The issuer and serial number beside it are not
    /// looked at: the digest leaves no choice.
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

    /// Whether it is that of a certificate.
    pub(crate) fn names<E: Environment>(&self, environment: &E, certificate: &[u8]) -> bool {
        environment.digest(self.algorithm, &[Part::Bytes(certificate)]) == self.value
    }
}

/// The value as the catalogue has it: octets of RSA, DER of ECDSA.
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
