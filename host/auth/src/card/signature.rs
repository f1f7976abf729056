//! Verification of cards' signatures.

use parafa_domain::AuthenticationFailure;
use parafa_eid::card::{
    CardKey, InvalidCardSignature, SignatureAlgorithm, SignatureEncoding, signature_value,
};
use parafa_trust::{Certificate, KeyKind, SignatureScheme};
use sha2::{Digest, Sha256};

use crate::challenge::Dtbs;
use crate::error::AuthError;

/// Returns the certificate's public key, if its signatures can be verified
/// here.
pub(super) fn card_key(certificate: &Certificate) -> Result<CardKey, AuthError> {
    match *certificate.key_kind() {
        KeyKind::Ec { curve } => curve
            .field_octets()
            .map(|field_octets| CardKey::Ec { field_octets }),
        KeyKind::Rsa { bits } => Some(CardKey::Rsa {
            modulus_octets: bits.div_ceil(8) as usize,
        }),
        KeyKind::Other(_) => None,
    }
    .ok_or_else(|| {
        let detail = "The certificate's key is neither on P-256, P-384 or P-521 nor RSA.";
        AuthError::UnsupportedAlgorithm(detail.to_owned())
    })
}

/// Verifies the signature over these data by the certificate's key.
///
/// # Errors
/// [`AuthError::UnsupportedAlgorithm`] where key, algorithm and encoding do not
/// fit together, which says nothing about the signature.
pub(super) fn verify(
    certificate: &Certificate,
    dtbs: &Dtbs,
    algorithm: SignatureAlgorithm,
    encoding: SignatureEncoding,
    value: &[u8],
) -> Result<Result<(), AuthenticationFailure>, AuthError> {
    let key = card_key(certificate)?;
    let value = match signature_value(key, algorithm, encoding, value) {
        Ok(value) => value,
        Err(
            unfit @ (InvalidCardSignature::Algorithm(_) | InvalidCardSignature::Encoding { .. }),
        ) => {
            return Err(AuthError::UnsupportedAlgorithm(format!(
                "Not verified: {unfit}."
            )));
        }
        Err(InvalidCardSignature::Length { .. } | InvalidCardSignature::Malformed) => {
            return Ok(Err(AuthenticationFailure::BadSignature));
        }
    };
    let scheme = match algorithm {
        SignatureAlgorithm::Es256 => SignatureScheme::Ecdsa,
        SignatureAlgorithm::Rs256 => SignatureScheme::RsaPkcs1,
        SignatureAlgorithm::Ps256 => SignatureScheme::RsaPss,
    };
    let is_over = |message: &[u8]| certificate.verify_sha256(scheme, message, &value).is_ok();
    if is_over(dtbs.as_bytes()) {
        return Ok(Ok(()));
    }
    // Known mistakes of clients: signing the text instead of its bytes, or
    // letting the card hash the digest once more.
    let mistaken =
        is_over(dtbs.to_base64().as_bytes()) || is_over(&Sha256::digest(dtbs.as_bytes()));
    Ok(Err(match mistaken {
        true => AuthenticationFailure::DtbsMismatch,
        false => AuthenticationFailure::BadSignature,
    }))
}
