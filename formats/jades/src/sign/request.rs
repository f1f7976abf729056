use parafa_format_core::{
    Refusal, SignRequest, SignatureAlgorithm, TargetLevel, expect_no_params, parse_seed, refusal,
};
use parafa_pki::Certificate;

use crate::algorithm;
use crate::contents::PAYLOAD;

/// A validated request.
#[derive(Debug)]
pub(super) struct Signing<'a> {
    /// Seconds since the Unix epoch.
    pub(super) time: i64,
    /// `B-B` or `B-T`.
    pub(super) target_level: TargetLevel,
    pub(super) algorithm: SignatureAlgorithm,
    /// JWA name of the algorithm.
    pub(super) algorithm_name: &'static str,
    /// DER-encoded signer certificate.
    pub(super) signer: &'a [u8],
    /// Certificates of the header, the signer's first.
    pub(super) certificates: Vec<&'a [u8]>,
}

impl<'a> Signing<'a> {
    pub(super) fn parse(request: &'a SignRequest) -> Result<Self, Refusal> {
        let target_level = request.target_level.parse().ok();
        let target_level = target_level
            .filter(|level| *level < TargetLevel::BLt)
            .ok_or_else(|| {
                let level = &request.target_level;
                refused(format!("The level {level:?} is not B-B or B-T."))
            })?;
        parse_seed(&request.seed)?;
        expect_no_params(&request.params)?;
        if request.covers != [PAYLOAD] {
            return Err(refused(format!(
                "A signature covers the member {PAYLOAD:?} and nothing else."
            )));
        }
        if request.time < 0 {
            return Err(refused(format!(
                "The time {} is before 1970.",
                request.time
            )));
        }
        let signer = request
            .signer_chain
            .first()
            .ok_or_else(|| refused("The signer's certificate is missing."))?;
        let algorithm = request.signature_algorithm;
        let certificates = certificates(&request.signer_chain, algorithm)?;
        Ok(Self {
            time: request.time,
            target_level,
            algorithm,
            algorithm_name: name(algorithm)?,
            signer,
            certificates,
        })
    }
}

/// Returns the name of an algorithm for signing. RSASSA-PSS is only verified:
/// readers are promised the other two kinds.
fn name(algorithm: SignatureAlgorithm) -> Result<&'static str, Refusal> {
    let is_promised =
        algorithm.is_for_making() && !matches!(algorithm, SignatureAlgorithm::RsaPss(_));
    algorithm::name(algorithm)
        .filter(|_| is_promised)
        .ok_or_else(|| refused(format!("{algorithm} is not signed with.")))
}

/// Returns the certificates of `x5c` without trust anchors, which a verifier
/// has or does not trust.
fn certificates(chain: &[Vec<u8>], algorithm: SignatureAlgorithm) -> Result<Vec<&[u8]>, Refusal> {
    let mut certificates = Vec::new();
    for der in chain {
        let certificate = Certificate::from_der(der).map_err(|error| {
            refused(format!(
                "A certificate of the signer's chain cannot be read: {error}."
            ))
        })?;
        if certificates.is_empty() && !algorithm::suits(algorithm, &certificate) {
            return Err(refused(format!(
                "The key of the signer's certificate is not one of {algorithm}, for which JSON \
                 Web Signature names one curve."
            )));
        }
        if certificates.is_empty() || certificate.issuer() != certificate.subject() {
            certificates.push(der.as_slice());
        }
    }
    Ok(certificates)
}

pub(super) fn refused(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}
