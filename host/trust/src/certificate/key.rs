//! Kinds of certified keys.

use const_oid::db::rfc5912::{ID_EC_PUBLIC_KEY, ID_RSASSA_PSS, RSA_ENCRYPTION};
use der::asn1::ObjectIdentifier;
use openssl::nid::Nid;
use openssl::pkey::{PKeyRef, Public};

/// The kind and strength of a public key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum KeyKind {
    /// RSA.
    Rsa {
        /// Significant bits of the modulus.
        bits: u32,
    },
    /// A key on an elliptic curve.
    Ec {
        /// The curve.
        curve: EcCurve,
    },
    /// Any other algorithm.
    Other(ObjectIdentifier),
}

/// A named curve (SEC 2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EcCurve {
    /// secp256r1.
    P256,
    /// secp384r1.
    P384,
    /// secp521r1.
    P521,
    /// Any other curve.
    Other,
}

impl KeyKind {
    pub(super) fn of(algorithm: ObjectIdentifier, key: &PKeyRef<Public>) -> Self {
        match algorithm {
            RSA_ENCRYPTION | ID_RSASSA_PSS => Self::Rsa { bits: key.bits() },
            ID_EC_PUBLIC_KEY => Self::Ec {
                curve: EcCurve::of(key),
            },
            other => Self::Other(other),
        }
    }
}

impl EcCurve {
    /// Length of a field element in octets; `None` for unnamed curves.
    #[must_use]
    pub fn field_octets(self) -> Option<usize> {
        match self {
            Self::P256 => Some(32),
            Self::P384 => Some(48),
            Self::P521 => Some(66),
            Self::Other => None,
        }
    }

    fn of(key: &PKeyRef<Public>) -> Self {
        let curve = key.ec_key().ok().and_then(|key| key.group().curve_name());
        match curve {
            Some(Nid::X9_62_PRIME256V1) => Self::P256,
            Some(Nid::SECP384R1) => Self::P384,
            Some(Nid::SECP521R1) => Self::P521,
            _ => Self::Other,
        }
    }
}
