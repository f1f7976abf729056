//! Time-marks (BDOC 2.1, 6.1): an OCSP response about the signer's certificate,
//! requested for the signature value, proves the time of a signature.

use parafa_ades::Signature as _;
use parafa_format_core::{
    DigestAlgorithm, Environment, TimestampEvidence, TimestampKind, TimestampStatus,
};

use parafa_pki::algorithm::{decode_digest, digest};
use parafa_pki::asn1::Element;
use parafa_pki::{Certificate, RevocationData, Subjects};

use crate::examined::Examined;
use crate::names::XADES;
use crate::signature::Signature;

/// Prefix of the BDOC policy identifiers with time-marks: one arc per version.
const POLICIES: &str = "urn:oid:1.3.6.1.4.1.10015.1000.";

/// Maximum number of time-marks per signature; normally there is one.
pub(crate) const MAX_TIME_MARKS: usize = 4;
/// Maximum number of candidate certificates that signed a time-mark.
const MAX_NAMESAKES: usize = 4;

/// Returns whether the policy of a signature requires a time-mark.
pub(crate) fn is_time_marked(signature: Signature<'_>) -> bool {
    let identifier = || {
        let properties = signature.signed_signature_properties().ok()?;
        let policy = properties.only_child(XADES, "SignaturePolicyIdentifier")?;
        let policy = policy.only_child(XADES, "SignaturePolicyId")?;
        let policy = policy.only_child(XADES, "SigPolicyId")?;
        Some(policy.only_child(XADES, "Identifier")?.text())
    };
    identifier().is_some_and(|identifier| identifier.trim().starts_with(POLICIES))
}

/// Returns evidence about an OCSP response used as a time-stamp. `None` for
/// CRLs, and for responses not bound to a value. As with time-stamps, the
/// authority of the responder is not checked.
pub(crate) fn time_mark<E: Environment>(
    environment: &E,
    signature: &Examined,
    der: &[u8],
) -> Option<TimestampEvidence> {
    let data = RevocationData::parse(der).ok()?;
    let nonce = data.nonce()?;
    let (algorithm, marked) = read_nonce(nonce.value)?;
    let is_of_the_value = digest(algorithm, &signature.raw_value) == marked;
    let others = signature.verified.certificates.iter().map(Vec::as_slice);
    let mut makers = data
        .certificates()
        .iter()
        .copied()
        .chain(others)
        .filter_map(|der| Certificate::from_der(der).ok())
        .filter(|maker| nonce.names_responder(environment, maker))
        .take(MAX_NAMESAKES)
        .peekable();
    let status = if !is_of_the_value || !is_about(&data, signature.signer_certificate()) {
        TimestampStatus::ImprintMismatch
    } else if makers.peek().is_none() {
        TimestampStatus::Unverifiable
    } else if makers.any(|maker| nonce.is_signed_by(environment, &maker)) {
        TimestampStatus::Intact
    } else {
        TimestampStatus::SignatureMismatch
    };
    Some(TimestampEvidence {
        kind: TimestampKind::TimeMark,
        token: der.to_vec(),
        time: Some(nonce.time()),
        status,
    })
}

/// Returns whether a response concerns a certificate with the signer's serial
/// number; its nonce identifies the certificate.
fn is_about(data: &RevocationData<'_>, signer: Option<&[u8]>) -> bool {
    let signer = signer.and_then(|signer| Certificate::from_der(signer).ok());
    let (Some(signer), Subjects::SerialNumbers(numbers)) = (signer, data.subjects()) else {
        return false;
    };
    numbers.contains(&signer.serial_number())
}

/// Reads the digest of a signature value: AlgorithmIdentifier and OCTET STRING
/// in a SEQUENCE, possibly inside an OCTET STRING.
fn read_nonce(nonce: &[u8]) -> Option<(DigestAlgorithm, &[u8])> {
    const WHAT: &str = "nonce";

    let outer = Element::parse(WHAT, nonce).ok()?;
    let marked = if outer.tag == der::Tag::OctetString {
        Element::parse(WHAT, outer.value).ok()?
    } else {
        outer
    };
    let mut parts = marked.children(WHAT).ok()?;
    let algorithm = decode_digest(parts.expect(der::Tag::Sequence).ok()?).ok()??;
    let value = parts.expect(der::Tag::OctetString).ok()?.value;
    parts.finish().ok()?;
    Some((algorithm, value))
}

#[cfg(test)]
mod tests {
    use parafa_pki::algorithm::encode_digest;
    use parafa_pki::asn1::{encode, sequence};

    use super::*;

    #[test]
    fn nonces_of_time_marks_are_told_from_others() {
        let algorithm = DigestAlgorithm::Sha256;
        let value = encode(der::Tag::OctetString, &[7; 32]);
        let nonce = sequence([&encode_digest(algorithm), &value]);
        let wrapped = encode(der::Tag::OctetString, &nonce);

        for nonce in [&nonce, &wrapped] {
            assert_eq!(read_nonce(nonce), Some((algorithm, &[7; 32][..])));
        }
        assert_eq!(read_nonce(&value), None);
        assert_eq!(read_nonce(&[]), None);
    }
}
