//! The signer: the certificate named by the protected header, and no other (RFC
//! 7515, 4.1.8; ETSI TS 119 182-1, 5.2.2).

use parafa_format_core::{DigestAlgorithm, Integrity};
use parafa_pki::algorithm::digest;
use serde_json::Value;

use crate::encoding::from_base64url;

/// Digest algorithms by `digAlg` name (TS 119 182-1, 5.2.2.2), including the
/// one of `x5t#S256`.
const DIGESTS: [(&str, DigestAlgorithm); 3] = [
    ("S256", DigestAlgorithm::Sha256),
    ("S384", DigestAlgorithm::Sha384),
    ("S512", DigestAlgorithm::Sha512),
];

/// Digest of the signer's certificate.
#[derive(Debug)]
pub(crate) struct CertificateDigest {
    algorithm: DigestAlgorithm,
    value: Vec<u8>,
}

impl CertificateDigest {
    /// Reads a member of the protected header: `x5t#S256`, `x5t#o`, or the
    /// first digest of `sigX5ts`.
    ///
    /// # Errors
    /// An invalid digest, or an unknown algorithm.
    pub(crate) fn read(name: &str, value: &Value) -> Result<Self, Integrity> {
        let digest = match (name, value) {
            ("x5t#S256", Value::String(text)) => Self::of(DigestAlgorithm::Sha256, text),
            ("sigX5ts", Value::Array(digests)) => {
                Self::read_object(digests.first().ok_or(Integrity::Malformed)?)
            }
            _ => Self::read_object(value),
        }?;
        if digest.value.len() == digest.algorithm.output_len() {
            Ok(digest)
        } else {
            Err(Integrity::Malformed)
        }
    }

    /// Returns whether this is the digest of a certificate.
    pub(crate) fn names(&self, certificate: &[u8]) -> bool {
        digest(self.algorithm, certificate) == self.value
    }

    fn read_object(object: &Value) -> Result<Self, Integrity> {
        let text = |name| object.get(name).and_then(Value::as_str);
        let (algorithm, value) = text("digAlg")
            .zip(text("digVal"))
            .ok_or(Integrity::Malformed)?;
        let known = DIGESTS.into_iter().find(|(name, _)| *name == algorithm);
        let (_, algorithm) = known.ok_or(Integrity::Unsupported)?;
        Self::of(algorithm, value)
    }

    fn of(algorithm: DigestAlgorithm, text: &str) -> Result<Self, Integrity> {
        let value = from_base64url(text).ok_or(Integrity::Malformed)?;
        Ok(Self { algorithm, value })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::encoding::to_base64url;

    #[test]
    fn a_certificate_is_named_in_either_of_three_ways() {
        let [short, long] = [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512]
            .map(|algorithm| to_base64url(digest(algorithm, b"certificate")));
        let object = json!({"digAlg": "S512", "digVal": long});

        for (name, value) in [
            ("x5t#S256", json!(short)),
            ("x5t#o", object.clone()),
            ("sigX5ts", json!([object, {}])),
        ] {
            let digest = CertificateDigest::read(name, &value).unwrap();
            assert!(digest.names(b"certificate"), "{name}");
            assert!(!digest.names(b"another"), "{name}");
        }
    }

    #[test]
    fn what_is_no_digest_names_nobody() {
        use Integrity::{Malformed, Unsupported};

        for (name, value, fault) in [
            ("x5t#S256", json!("AA"), Malformed),
            ("x5t#S256", json!({"digAlg": "S256"}), Malformed),
            (
                "x5t#o",
                json!({"digAlg": "S3-256", "digVal": "AA"}),
                Unsupported,
            ),
            ("sigX5ts", json!([]), Malformed),
        ] {
            let read = CertificateDigest::read(name, &value);
            assert_eq!(read.unwrap_err(), fault, "{value}");
        }
    }
}
