//! Supported signature algorithms by JWA name (RFC 7518, 3.1; RFC 8037, 3.1;
//! RFC 9864).

use parafa_format_core::{DigestAlgorithm, Integrity, SignatureAlgorithm};
use parafa_pki::{Certificate, ecdsa};

use DigestAlgorithm::{Sha256, Sha384, Sha512};
use SignatureAlgorithm::{Ecdsa, Ed448, Ed25519, RsaPkcs1, RsaPss};

const NAMES: [(&str, SignatureAlgorithm); 12] = [
    ("RS256", RsaPkcs1(Sha256)),
    ("RS384", RsaPkcs1(Sha384)),
    ("RS512", RsaPkcs1(Sha512)),
    ("PS256", RsaPss(Sha256)),
    ("PS384", RsaPss(Sha384)),
    ("PS512", RsaPss(Sha512)),
    ("ES256", Ecdsa(Sha256)),
    ("ES384", Ecdsa(Sha384)),
    ("ES512", Ecdsa(Sha512)),
    ("Ed25519", Ed25519),
    ("Ed448", Ed448),
    // The curve depends on the key, and is nearly always this one.
    ("EdDSA", Ed25519),
];

/// Name in the header of an unsecured JWS (RFC 7518, 3.6).
const NONE: &str = "none";

/// Returns the algorithm with a name.
pub(crate) fn named(name: &str) -> Result<SignatureAlgorithm, Integrity> {
    let known = NAMES.iter().find(|(known, _)| *known == name);
    match known {
        Some((_, algorithm)) => Ok(*algorithm),
        None if name == NONE => Err(Integrity::Malformed),
        None => Err(Integrity::Unsupported),
    }
}

/// Returns the name of an algorithm, if it has one.
pub(crate) fn name(algorithm: SignatureAlgorithm) -> Option<&'static str> {
    let known = NAMES.iter().find(|(_, known)| *known == algorithm);
    known.map(|(name, _)| *name)
}

/// Returns the length of r and of s in bytes; `None` for RSA. Each digest
/// implies a curve (RFC 7518, 3.4).
pub(crate) fn field_bytes(algorithm: SignatureAlgorithm) -> Option<usize> {
    match algorithm {
        Ecdsa(Sha256) => Some(32),
        Ecdsa(Sha384) => Some(48),
        Ecdsa(Sha512) => Some(66),
        _ => None,
    }
}

/// Returns whether a certificate's key suits an algorithm, judged by its curve.
pub(crate) fn suits(algorithm: SignatureAlgorithm, certificate: &Certificate<'_>) -> bool {
    let key = certificate.subject_public_key_info();
    ecdsa::field_bytes(key) == field_bytes(algorithm) && !ecdsa::is_brainpool(key)
}

/// Converts a value from the catalogue's form to that of JWS.
pub(crate) fn to_octets(algorithm: SignatureAlgorithm, value: &[u8]) -> Option<Vec<u8>> {
    match field_bytes(algorithm) {
        Some(field_bytes) => ecdsa::to_raw(value, field_bytes),
        None => Some(value.to_vec()),
    }
}

/// Converts a value from the form of JWS to the catalogue's.
pub(crate) fn from_octets(algorithm: SignatureAlgorithm, octets: &[u8]) -> Option<Vec<u8>> {
    match field_bytes(algorithm) {
        Some(field_bytes) => ecdsa::to_der(octets, field_bytes),
        None => Some(octets.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_no_algorithm_and_what_has_no_public_key_is_not_known() {
        assert_eq!(named("RS256"), Ok(RsaPkcs1(Sha256)));
        assert_eq!(named("none"), Err(Integrity::Malformed));
        for name in ["HS256", "rs256", "ES256K", "Ed25518", "NONE", ""] {
            assert_eq!(named(name), Err(Integrity::Unsupported), "{name}");
        }
    }
}
