//! TimeStampToken: a CMS SignedData over a TSTInfo (RFC 3161 clause 2.4.2).

mod attributes;
mod signed_data;

use std::time::Duration;

use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use const_oid::db::rfc5912::ID_SHA_256;
use der::asn1::{Any, Int, ObjectIdentifier};
use der::{Decode, Reader};
use jiff::{SignedDuration, Timestamp};
use openssl::hash::hash;
use x509_tsp::{Accuracy, MessageImprint};

use self::attributes::SignedAttributes;
use self::signed_data::{SignedData, SignerIdentifier, SignerInfo};
use super::signers::KnownSigners;
use crate::anchors::{Purpose, TrustAnchors};
use crate::certificate::Certificate;
use crate::path::PathError;
use crate::signature::{self, SignatureFault, message_digest};
use crate::wire::WireTime;

/// id-ct-TSTInfo (RFC 3161 clause 2.4.2).
const ID_CT_TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");

const TIMESTAMPING: Purpose = Purpose::Timestamping;

/// A checked token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampToken {
    /// The TimeStampToken (a ContentInfo) in DER, as received.
    pub der: Vec<u8>,
    /// genTime, with its fraction of a second.
    pub gen_time: Timestamp,
    /// The content octets of serialNumber's INTEGER.
    pub serial_number: Vec<u8>,
    /// The policy that it was made under.
    pub policy: ObjectIdentifier,
    /// The authority's certificate, then its issuers up to the anchor.
    pub signer_chain: Vec<Certificate>,
}

/// Reason why a token is invalid.
#[derive(Debug, thiserror::Error)]
pub enum TokenFault {
    /// The authority granted a token but sent none.
    #[error("the answer grants a token and holds none")]
    Absent,
    /// Not well-formed.
    #[error("the time-stamp token is malformed")]
    Malformed(#[source] der::Error),
    /// The content is not a TSTInfo.
    #[error("the token holds content of the type {0}")]
    ContentType(ObjectIdentifier),
    /// TSTInfo's version is not 1.
    #[error("the token has the version {0}")]
    Version(u8),
    /// The token does not have exactly one signer.
    #[error("the token has {0} signers instead of one")]
    NotOneSigner(usize),
    /// The imprint differs from the one sent.
    #[error("the token is over another imprint")]
    Imprint,
    /// The nonce differs from the one sent.
    #[error("the token has another nonce or none")]
    Nonce,
    /// The policy differs from the one requested.
    #[error("the token was made under the policy {0}")]
    Policy(ObjectIdentifier),
    /// genTime is too far from now.
    #[error("the token's time {0} is too far from now")]
    Time(Timestamp),
    /// The token does not include its signer's certificate.
    #[error("the token does not hold its signer's certificate")]
    NoSignerCertificate,
    /// extKeyUsage is not critical with time-stamping alone (RFC 3161 clause
    /// 2.3).
    #[error("the signer's certificate is not one for time-stamping alone")]
    SignerPurpose,
    /// A signed attribute that must be there is absent, doubled or malformed.
    #[error("the signed attribute {0} is absent, doubled or malformed")]
    Attribute(ObjectIdentifier),
    /// The digest algorithm is unknown or too weak.
    #[error("the digest algorithm {0} is not accepted")]
    DigestAlgorithm(ObjectIdentifier),
    /// The message-digest attribute is not the content's digest.
    #[error("the token's message digest does not match its content")]
    MessageDigest,
    /// The signing-certificate attribute identifies another certificate.
    #[error("the token's signing-certificate attribute names another certificate")]
    SigningCertificate,
    /// The signature is wrong.
    #[error("the token's signature is not valid")]
    Signature(#[source] SignatureFault),
    /// The signer's certificate has no path to a time-stamping anchor.
    #[error("the token's signer is not trusted")]
    Untrusted(#[source] PathError),
    /// The signer's certificate lacks a policy that its anchor requires.
    #[error("the token's signer was not certified under the policy {0}")]
    SignerPolicy(ObjectIdentifier),
    /// The signer's issuer was not qualified at genTime.
    #[error("the token's signer was not qualified at {0}")]
    NotQualified(Timestamp),
}

/// Requirements for a token.
pub(super) struct Expected<'a> {
    pub(super) imprint: &'a [u8; 32],
    /// The content octets of the nonce's INTEGER.
    pub(super) nonce: Option<&'a [u8]>,
    pub(super) policy: Option<ObjectIdentifier>,
    pub(super) clock_skew: Duration,
}

impl Expected<'_> {
    pub(super) fn check(
        &self,
        token_der: &[u8],
        anchors: &TrustAnchors,
        signers: &KnownSigners,
        now: Timestamp,
    ) -> Result<TimestampToken, TokenFault> {
        let data = SignedData::from_token(token_der)?;
        let info = TstInfo::from_der(&data.content).map_err(TokenFault::Malformed)?;
        self.check_info(&info, now)?;
        let gen_time = info.gen_time.0;
        let known = signers.path(|signer| data.has_signer(signer), gen_time);
        let (signer, embedded) = match known.as_deref() {
            Some([signer, ..]) => (signer.clone(), Vec::new()),
            _ => data.signer_certificate()?,
        };
        check_signer_purpose(&signer)?;
        check_signature(&data.content, &data.signer, &signer)?;
        let chain = match known {
            Some(chain) => chain,
            None => {
                let path = anchors.path(&signer, &embedded, TIMESTAMPING, None, gen_time);
                let chain = path.map_err(TokenFault::Untrusted)?.chain;
                signers.remember(&chain);
                chain
            }
        };
        check_anchor(&signer, &chain, anchors, gen_time)?;
        Ok(TimestampToken {
            der: token_der.to_vec(),
            gen_time,
            serial_number: info.serial_number.as_bytes().to_vec(),
            policy: info.policy,
            signer_chain: chain,
        })
    }

    fn check_info(&self, info: &TstInfo, now: Timestamp) -> Result<(), TokenFault> {
        if info.version != 1 {
            return Err(TokenFault::Version(info.version));
        }
        let imprint = &info.imprint;
        if imprint.hash_algorithm.oid != ID_SHA_256
            || imprint.hashed_message.as_bytes() != self.imprint
        {
            return Err(TokenFault::Imprint);
        }
        if self.nonce.is_some() && info.nonce.as_ref().map(Int::as_bytes) != self.nonce {
            return Err(TokenFault::Nonce);
        }
        if self.policy.is_some_and(|policy| policy != info.policy) {
            return Err(TokenFault::Policy(info.policy));
        }
        let gen_time = info.gen_time.0;
        let allowed = SignedDuration::try_from(self.clock_skew).unwrap_or(SignedDuration::MAX);
        if now.duration_until(gen_time).abs() > allowed {
            return Err(TokenFault::Time(gen_time));
        }
        Ok(())
    }
}

fn check_signer_purpose(signer: &Certificate) -> Result<(), TokenFault> {
    let is_for_timestamps_alone = signer.extended_key_usage() == Some(&[ID_KP_TIME_STAMPING])
        && signer.extended_key_usage_is_critical();
    is_for_timestamps_alone
        .then_some(())
        .ok_or(TokenFault::SignerPurpose)
}

/// RFC 5652 clause 5.6 and RFC 5816.
fn check_signature(
    content: &[u8],
    info: &SignerInfo,
    signer: &Certificate,
) -> Result<(), TokenFault> {
    let attributes = SignedAttributes::parse(&info.signed_attributes)?;
    let digest = message_digest(info.digest_algorithm.oid)
        .ok_or(TokenFault::DigestAlgorithm(info.digest_algorithm.oid))?;
    let computed = hash(digest, content).map_err(|_| TokenFault::MessageDigest)?;
    if attributes.message_digest != *computed {
        return Err(TokenFault::MessageDigest);
    }
    if !attributes.signing_certificate.identifies(signer) {
        return Err(TokenFault::SigningCertificate);
    }
    let signed = info
        .signed_attributes
        .to_canonical()
        .map_err(TokenFault::Malformed)?;
    signature::verify(
        signer.public_key(),
        &info.signature_algorithm,
        Some(info.digest_algorithm.oid),
        &signed,
        &info.signature,
    )
    .map_err(TokenFault::Signature)
}

/// Checks the requirements of the anchor of the signer's path.
fn check_anchor(
    signer: &Certificate,
    chain: &[Certificate],
    anchors: &TrustAnchors,
    gen_time: Timestamp,
) -> Result<(), TokenFault> {
    let anchor = anchors.anchor_of(chain, TIMESTAMPING, None);
    let anchor = anchor.ok_or(TokenFault::Untrusted(PathError::Shape))?;
    if let Some(policy) = anchor.missing_policy(signer) {
        return Err(TokenFault::SignerPolicy(policy));
    }
    if !anchor.is_qualified_at(gen_time) {
        return Err(TokenFault::NotQualified(gen_time));
    }
    Ok(())
}

impl SignedData {
    /// Returns true if this is the signer's certificate and is included in the token.
    fn has_signer(&self, certificate: &Certificate) -> bool {
        self.certificates.iter().any(|der| der == certificate.der())
            && self.signer.identifier.identifies(certificate)
    }

    /// The signer's certificate, and the others in the token.
    fn signer_certificate(&self) -> Result<(Certificate, Vec<Certificate>), TokenFault> {
        let mut others: Vec<Certificate> = self
            .certificates
            .iter()
            .filter_map(|der| Certificate::from_der(der).ok())
            .collect();
        let position = others
            .iter()
            .position(|certificate| self.signer.identifier.identifies(certificate))
            .ok_or(TokenFault::NoSignerCertificate)?;
        Ok((others.swap_remove(position), others))
    }
}

impl SignerIdentifier {
    fn identifies(&self, certificate: &Certificate) -> bool {
        match self {
            Self::IssuerAndSerial { issuer, serial } => {
                issuer == certificate.issuer_der() && serial == certificate.serial_number()
            }
            Self::SubjectKey(identifier) => certificate
                .x509()
                .subject_key_id()
                .is_some_and(|own| own.as_slice() == identifier),
        }
    }
}

/// TSTInfo. `x509-tsp` has the type too and reads whole seconds only.
struct TstInfo {
    version: u8,
    policy: ObjectIdentifier,
    imprint: MessageImprint,
    serial_number: Int,
    gen_time: WireTime,
    nonce: Option<Int>,
}

impl<'a> Decode<'a> for TstInfo {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let version = reader.decode()?;
            let policy = reader.decode()?;
            let imprint = reader.decode()?;
            let serial_number = reader.decode()?;
            let gen_time = reader.decode()?;
            let _accuracy: Option<Accuracy> = reader.decode()?;
            let _ordering: Option<bool> = reader.decode()?;
            let nonce = reader.decode()?;
            // No decision depends on tsa and extensions.
            while !reader.is_finished() {
                Any::decode(reader)?;
            }
            Ok(Self {
                version,
                policy,
                imprint,
                serial_number,
                gen_time,
                nonce,
            })
        })
    }
}
