//! Time-marks (BDOC 2.1, 6.1): an OCSP response about the signer, made for the
//! signature value, tells when there was a signature.

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

/// What identifies the policies of BDOC with time-marks begins with this: one
/// arc for each version.
const POLICIES: &str = "urn:oid:1.3.6.1.4.1.10015.1000.";

/// Whether a signature says that its time is told by a time-mark.
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

/// Evidence about an OCSP response in the place of a time-stamp; `None` for other
/// revocation data. As with time-stamps, it is not asked who may make one.
pub(crate) fn time_mark<E: Environment>(
    environment: &E,
    signature: &Examined,
    der: &[u8],
) -> Option<TimestampEvidence> {
    let data = RevocationData::parse(der).ok()?;
    let nonce = data.nonce()?;
    let is_of_the_value = read_nonce(nonce.value)
        .is_some_and(|(algorithm, marked)| digest(algorithm, &signature.raw_value) == marked);
    let others = signature.verified.certificates.iter().map(Vec::as_slice);
    let mut makers = data
        .certificates()
        .iter()
        .copied()
        .chain(others)
        .filter_map(|der| Certificate::from_der(der).ok())
        .filter(|maker| nonce.names_responder(environment, maker))
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

/// Whether a response tells of a certificate with the signer's serial number:
/// which one that is, its nonce says.
fn is_about(data: &RevocationData<'_>, signer: Option<&[u8]>) -> bool {
    let signer = signer.and_then(|signer| Certificate::from_der(signer).ok());
    let (Some(signer), Subjects::SerialNumbers(numbers)) = (signer, data.subjects()) else {
        return false;
    };
    numbers.contains(&signer.serial_number())
}

/// The digest of a signature value: AlgorithmIdentifier and OCTET STRING in a
/// SEQUENCE, which an OCTET STRING may hold.
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
