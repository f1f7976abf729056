use std::fmt;
use std::str::FromStr;

use crate::ecdsa;

/// Signature algorithm of a card over a SHA-256 digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureAlgorithm {
    /// ECDSA on the curve of the key. In JOSE this name means P-256; the State's cards have P-384
    /// keys and sign SHA-256 digests as well. P-521 is treated alike.
    Es256,
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    Rs256,
    /// RSASSA-PSS with MGF1 over SHA-256 and a salt of 32 octets (RFC 7518, 3.5).
    Ps256,
}

/// The form of a signature value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureEncoding {
    /// ECDSA's r and s concatenated, each as long as the curve's field.
    P1363,
    /// ECDSA's `ECDSA-Sig-Value`.
    Der,
    /// RSA's octets.
    Raw,
}

/// The key that a certificate certifies.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CardKey {
    /// A key on an elliptic curve.
    Ec {
        /// Length of an element of the curve's field.
        field_octets: usize,
    },
    /// RSA.
    Rsa {
        /// Length of the modulus.
        modulus_octets: usize,
    },
}

impl SignatureAlgorithm {
    const ALL: [Self; 3] = [Self::Es256, Self::Rs256, Self::Ps256];

    /// The name in JOSE (RFC 7518, 3.1).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
        }
    }
}

impl SignatureEncoding {
    const ALL: [Self; 3] = [Self::P1363, Self::Der, Self::Raw];

    /// The name at the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::P1363 => "P1363",
            Self::Der => "DER",
            Self::Raw => "RAW",
        }
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for SignatureEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SignatureAlgorithm {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or(UnknownName)
    }
}

impl FromStr for SignatureEncoding {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or(UnknownName)
    }
}

/// A name of no algorithm or encoding.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the name is not a known one")]
pub struct UnknownName;

/// Reason why a value cannot be the card's signature.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidCardSignature {
    /// The key makes no signatures of this algorithm.
    #[error("the certificate's key makes no {0} signatures")]
    Algorithm(SignatureAlgorithm),
    /// The algorithm has no such form.
    #[error("{algorithm} signatures are not encoded as {encoding}")]
    Encoding {
        /// The algorithm.
        algorithm: SignatureAlgorithm,
        /// The form.
        encoding: SignatureEncoding,
    },
    /// The length does not match the key.
    #[error("the signature has {length} octets where the certificate's key makes {expected}")]
    Length {
        /// Length for the key.
        expected: usize,
        /// Actual length.
        length: usize,
    },
    /// The encoding is invalid.
    #[error("the signature is not an ECDSA-Sig-Value in DER with numbers of the curve")]
    Malformed,
}

/// The value in the form for verifiers: DER for ECDSA, octets for RSA. It is not verified.
///
/// # Errors
/// [`InvalidCardSignature`].
pub fn signature_value(
    key: CardKey,
    algorithm: SignatureAlgorithm,
    encoding: SignatureEncoding,
    value: &[u8],
) -> Result<Vec<u8>, InvalidCardSignature> {
    use SignatureAlgorithm::{Es256, Ps256, Rs256};

    let wrong_length = |expected| InvalidCardSignature::Length {
        expected,
        length: value.len(),
    };
    match (key, algorithm, encoding) {
        (CardKey::Ec { field_octets }, Es256, SignatureEncoding::P1363) => {
            ecdsa::to_der(value, field_octets).ok_or(wrong_length(2 * field_octets))
        }
        (CardKey::Ec { field_octets }, Es256, SignatureEncoding::Der) => {
            let is_der = ecdsa::is_der(value, field_octets);
            is_der
                .then(|| value.to_vec())
                .ok_or(InvalidCardSignature::Malformed)
        }
        (CardKey::Rsa { modulus_octets }, Rs256 | Ps256, SignatureEncoding::Raw) => {
            let fits = value.len() == modulus_octets;
            fits.then(|| value.to_vec())
                .ok_or(wrong_length(modulus_octets))
        }
        (CardKey::Ec { .. }, Rs256 | Ps256, _) | (CardKey::Rsa { .. }, Es256, _) => {
            Err(InvalidCardSignature::Algorithm(algorithm))
        }
        _ => Err(InvalidCardSignature::Encoding {
            algorithm,
            encoding,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::SignatureAlgorithm::{Es256, Ps256, Rs256};
    use super::SignatureEncoding::{Der, P1363, Raw};
    use super::*;

    const P384: CardKey = CardKey::Ec { field_octets: 48 };
    const P521: CardKey = CardKey::Ec { field_octets: 66 };
    const RSA_2048: CardKey = CardKey::Rsa {
        modulus_octets: 256,
    };

    #[test]
    fn both_forms_of_an_ecdsa_signature_come_to_the_same() {
        for (key, octets) in [(P384, 96), (P521, 132)] {
            let raw: Vec<u8> = (1..=octets).collect();
            let der = signature_value(key, Es256, P1363, &raw).unwrap();

            assert_eq!(signature_value(key, Es256, Der, &der).unwrap(), der);
        }
    }

    #[test]
    fn a_signature_is_exactly_as_long_as_its_key_makes_them() {
        for (key, algorithm, encoding, length, expected) in [
            (P384, Es256, P1363, 64, 96),
            (P384, Es256, P1363, 97, 96),
            (P521, Es256, P1363, 131, 132),
            (P521, Es256, P1363, 130, 132),
            (RSA_2048, Rs256, Raw, 255, 256),
            (RSA_2048, Ps256, Raw, 384, 256),
        ] {
            let refused = signature_value(key, algorithm, encoding, &vec![1; length]);
            let wrong = InvalidCardSignature::Length { expected, length };
            assert_eq!(refused, Err(wrong));
        }
        assert!(signature_value(RSA_2048, Rs256, Raw, &[1; 256]).is_ok());
    }

    #[test]
    fn key_algorithm_and_encoding_belong_together() {
        for (key, algorithm, encoding) in [(P384, Rs256, Raw), (RSA_2048, Es256, Der)] {
            let refused = signature_value(key, algorithm, encoding, &[1; 96]);
            assert_eq!(refused, Err(InvalidCardSignature::Algorithm(algorithm)));
        }
        for (key, algorithm, encoding) in [(P384, Es256, Raw), (RSA_2048, Rs256, P1363)] {
            let refused = signature_value(key, algorithm, encoding, &[1; 96]);
            let wrong = InvalidCardSignature::Encoding {
                algorithm,
                encoding,
            };
            assert_eq!(refused, Err(wrong));
        }
        assert_eq!(
            signature_value(P384, Es256, Der, b"no DER"),
            Err(InvalidCardSignature::Malformed)
        );
    }

    #[test]
    fn names_lead_back_to_what_they_name() {
        for algorithm in SignatureAlgorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
        }
        for encoding in SignatureEncoding::ALL {
            assert_eq!(encoding.name().parse(), Ok(encoding));
        }
        assert_eq!("ES384".parse::<SignatureAlgorithm>(), Err(UnknownName));
    }
}
