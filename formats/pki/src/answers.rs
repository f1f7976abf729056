//! Validation of answers from devices and authorities, before they are used for
//! a signature.

use parafa_format_core::{Environment, Refusal, SignatureAlgorithm, refusal};

use crate::{Certificate, TimestampToken};

/// Requires a signature value of the signer over exactly these bytes. `signer`
/// is a DER-encoded certificate.
///
/// # Errors
/// `bad-request` when the value does not verify, or the certificate or its key
/// cannot be used.
pub fn require_value<E: Environment>(
    environment: &E,
    signer: &[u8],
    algorithm: SignatureAlgorithm,
    signed: &[u8],
    value: &[u8],
) -> Result<(), Refusal> {
    let signer = Certificate::from_der(signer).map_err(|error| unusable(&error))?;
    let digest = environment.digest_to_verify(algorithm, signed);
    let key = signer.subject_public_key_info();
    match environment.verify(key, algorithm, &digest, value) {
        Ok(true) => Ok(()),
        Ok(false) => Err(bad_request(
            "The signature does not verify under the signer's certificate.",
        )),
        Err(reason) => Err(bad_request(format!(
            "The signature cannot be verified: {reason}."
        ))),
    }
}

/// Requires an RFC 3161 token over exactly these bytes.
///
/// # Errors
/// `bad-request` when it is no token, or one over other data.
pub fn require_timestamp(token: &[u8], stamped: &[u8]) -> Result<(), Refusal> {
    let token = TimestampToken::parse(token).map_err(|error| unusable(&error))?;
    if token.stamps(stamped) {
        Ok(())
    } else {
        Err(bad_request(
            "The time-stamp is not one over this signature.",
        ))
    }
}

/// Returns the refusal of an unusable request or answer.
pub fn unusable(error: &impl std::error::Error) -> Refusal {
    bad_request(format!("The request or an answer cannot be used: {error}."))
}

fn bad_request(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}
