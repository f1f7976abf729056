//! Attributes of a new SignerInfo (RFC 5652, 5.3).

use std::time::Duration;

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5911;
use der::asn1::{GeneralizedTime, UtcTime};
use der::{Encode, Tag};
use parafa_format_core::DigestAlgorithm;
use parafa_pki::Certificate;
use parafa_pki::algorithm::{digest, encode_digest};
use parafa_pki::asn1::{context, encode, object_identifier, sequence, set_of};
use parafa_pki::attributes::{CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_CERTIFICATE_V2, SIGNING_TIME};

use crate::Error;

/// The signed attributes of a new baseline signature: content-type,
/// message-digest and signing-certificate-v2, in CAdES also signing-time.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignedAttributes {
    digest_algorithm: DigestAlgorithm,
    der: Vec<u8>,
}

impl SignedAttributes {
    /// Creates the attributes of a PAdES signature (ETSI EN 319 142-1, 6.3) for
    /// a content with this digest. The signing certificate is named by a digest
    /// of the same algorithm. The claimed signing time is in the PDF signature
    /// dictionary instead.
    ///
    /// # Errors
    /// The algorithm is SHA-1, the digest has the wrong length, or the
    /// certificate cannot be read.
    pub fn new(
        message_digest: &[u8],
        digest_algorithm: DigestAlgorithm,
        signer_certificate: &[u8],
    ) -> Result<Self, Error> {
        let attributes = common(message_digest, digest_algorithm, signer_certificate)?;
        Ok(Self::of(digest_algorithm, attributes))
    }

    /// Creates the attributes of a CAdES signature (ETSI EN 319 122-1, 6.3):
    /// those of [`new`](Self::new) and the claimed signing time, in seconds
    /// since the Unix epoch.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and a time before 1970 or after 9999.
    pub fn with_signing_time(
        message_digest: &[u8],
        digest_algorithm: DigestAlgorithm,
        signer_certificate: &[u8],
        signing_time: i64,
    ) -> Result<Self, Error> {
        let mut attributes = common(message_digest, digest_algorithm, signer_certificate)?;
        let time = encode_time(signing_time).ok_or(Error::SigningTime(signing_time))?;
        attributes.push(encode_attribute(SIGNING_TIME, &time));
        Ok(Self::of(digest_algorithm, attributes))
    }

    fn of(digest_algorithm: DigestAlgorithm, attributes: Vec<Vec<u8>>) -> Self {
        Self {
            digest_algorithm,
            der: encode(Tag::Set, &set_of(attributes)),
        }
    }

    /// Returns the signed bytes: the attributes as a DER SET OF (RFC 5652,
    /// 5.4).
    #[must_use]
    pub fn to_be_signed(&self) -> &[u8] {
        &self.der
    }

    /// Returns the digest algorithm of the content and of the attributes.
    #[must_use]
    pub fn digest_algorithm(&self) -> DigestAlgorithm {
        self.digest_algorithm
    }
}

/// Returns the attributes that every baseline signature has.
fn common(
    message_digest: &[u8],
    digest_algorithm: DigestAlgorithm,
    signer_certificate: &[u8],
) -> Result<Vec<Vec<u8>>, Error> {
    if !digest_algorithm.is_for_making() {
        return Err(Error::WeakDigest(digest_algorithm));
    }
    if message_digest.len() != digest_algorithm.output_len() {
        return Err(Error::DigestLength {
            algorithm: digest_algorithm,
            length: message_digest.len(),
        });
    }
    let certificate = Certificate::from_der(signer_certificate)?;
    Ok(vec![
        encode_attribute(CONTENT_TYPE, &object_identifier(rfc5911::ID_DATA)),
        encode_attribute(MESSAGE_DIGEST, &encode(Tag::OctetString, message_digest)),
        encode_attribute(
            SIGNING_CERTIFICATE_V2,
            &signing_certificate(digest_algorithm, &certificate),
        ),
    ])
}

/// Encodes an attribute with one value.
pub(crate) fn encode_attribute(oid: ObjectIdentifier, value: &[u8]) -> Vec<u8> {
    sequence([&object_identifier(oid), &encode(Tag::Set, value)])
}

/// Returns the value of a SigningCertificateV2 (RFC 5035, 3) for `certificate`,
/// with its issuer and serial number. DER requires omitting the default hash
/// algorithm.
fn signing_certificate(algorithm: DigestAlgorithm, certificate: &Certificate<'_>) -> Vec<u8> {
    const DIRECTORY_NAME: u8 = 4;

    let hash_algorithm = if algorithm == DigestAlgorithm::Sha256 {
        Vec::new()
    } else {
        encode_digest(algorithm)
    };
    let hash = encode(Tag::OctetString, &digest(algorithm, certificate.as_der()));
    let general_names = sequence([&encode(context(DIRECTORY_NAME), certificate.issuer())]);
    let issuer_serial = sequence([&general_names, certificate.serial_number()]);
    let id = sequence([&hash_algorithm, &hash, &issuer_serial]);
    sequence([&sequence([&id])])
}

/// Encodes a Time: UTCTime until 2049, GeneralizedTime afterwards (RFC 5652,
/// 11.3). `None` if it is before 1970 or after 9999.
fn encode_time(seconds: i64) -> Option<Vec<u8>> {
    let elapsed = Duration::from_secs(u64::try_from(seconds).ok()?);
    let time = match UtcTime::from_unix_duration(elapsed) {
        Ok(time) => time.to_der(),
        Err(_) => GeneralizedTime::from_unix_duration(elapsed).and_then(|time| time.to_der()),
    };
    time.ok()
}
