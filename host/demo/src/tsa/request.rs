use const_oid::db::rfc5912::{ID_SHA_256, ID_SHA_384, ID_SHA_512};
use der::{
    Any, Decode as _,
    asn1::{Int, ObjectIdentifier},
};
use spki::AlgorithmIdentifier;
use x509_tsp::{MessageImprint, TimeStampReq};

use super::token::FailureInfo;

/// The policy of every token: `baseline-ts-policy` of EN 319 421, 5.2.
pub(super) const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.2023.1.1");

/// A request (RFC 3161, 2.4.1) that this authority can grant.
pub(super) struct Query {
    pub(super) imprint: MessageImprint,
    pub(super) nonce: Option<Int>,
    /// True if the token must contain the signer's certificate.
    pub(super) certificates: bool,
}

impl Query {
    pub(super) fn parse(der: &[u8]) -> Result<Self, FailureInfo> {
        let request = TimeStampReq::from_der(der).map_err(|_| FailureInfo::BadDataFormat)?;
        let imprint = request.message_imprint;
        let length = digest_length(&imprint.hash_algorithm).ok_or(FailureInfo::BadAlgorithm)?;
        if imprint.hashed_message.as_bytes().len() != length {
            return Err(FailureInfo::BadDataFormat);
        }
        if request.req_policy.is_some_and(|policy| policy != POLICY) {
            return Err(FailureInfo::UnacceptedPolicy);
        }
        if request.extensions.is_some() {
            return Err(FailureInfo::UnacceptedExtension);
        }
        Ok(Self {
            imprint,
            nonce: request.nonce,
            certificates: request.cert_req,
        })
    }
}

/// Octets of an accepted algorithm's digest; its parameters are absent or NULL.
fn digest_length(algorithm: &AlgorithmIdentifier<Any>) -> Option<usize> {
    if algorithm
        .parameters
        .as_ref()
        .is_some_and(|any| !any.is_null())
    {
        return None;
    }
    match algorithm.oid {
        ID_SHA_256 => Some(32),
        ID_SHA_384 => Some(48),
        ID_SHA_512 => Some(64),
        _ => None,
    }
}
