use const_oid::ObjectIdentifier;
use der::Tag;
use parafa_format_core::DigestAlgorithm;

use crate::algorithm::{decode_digest, digest};
use crate::asn1::Element;
use crate::time::seconds_since_epoch;
use crate::{Error, SignedData};

/// `id-ct-TSTInfo` (RFC 3161, 2.4.2).
const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");

/// An RFC 3161 time-stamp token, with its binding to the stamped data.
#[derive(Clone, Debug)]
pub struct TimestampToken {
    signed_data: SignedData,
    imprint_algorithm: Option<DigestAlgorithm>,
    imprint: Vec<u8>,
    time: i64,
}

impl TimestampToken {
    /// Reads a DER-encoded TimeStampToken.
    ///
    /// # Errors
    /// The bytes are not a SignedData over a TSTInfo.
    pub fn parse(der: &[u8]) -> Result<Self, Error> {
        const WHAT: &str = "TSTInfo";

        let signed_data = SignedData::parse(der)?;
        if signed_data.content_type() != TST_INFO {
            return Err(Error::Missing(WHAT));
        }
        let content = signed_data.content().ok_or(Error::Missing(WHAT))?;
        let mut parts = Element::sequence(WHAT, content)?;
        parts.expect(Tag::Integer)?;
        parts.expect(Tag::ObjectIdentifier)?;
        let mut imprint = parts.expect(Tag::Sequence)?.children("MessageImprint")?;
        let imprint_algorithm = decode_digest(imprint.expect(Tag::Sequence)?)?;
        let imprint = imprint.expect(Tag::OctetString)?.value.to_vec();
        parts.expect(Tag::Integer)?;
        let time = seconds_since_epoch(WHAT, parts.expect(Tag::GeneralizedTime)?)?;
        Ok(Self {
            signed_data,
            imprint_algorithm,
            imprint,
            time,
        })
    }

    /// Returns the signature of the token, with the TSTInfo as its content.
    #[must_use]
    pub fn signed_data(&self) -> &SignedData {
        &self.signed_data
    }

    /// Returns the digest algorithm of the message imprint; `None` if it is not
    /// in the catalogue.
    #[must_use]
    pub fn imprint_algorithm(&self) -> Option<DigestAlgorithm> {
        self.imprint_algorithm
    }

    /// Returns the hashed message of the message imprint.
    #[must_use]
    pub fn imprint(&self) -> &[u8] {
        &self.imprint
    }

    /// Returns the time-stamp's time (`genTime`) in seconds since the Unix
    /// epoch.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.time
    }

    /// Returns whether the imprint is the digest of `bytes`.
    #[must_use]
    pub fn stamps(&self, bytes: &[u8]) -> bool {
        self.imprint_algorithm
            .is_some_and(|algorithm| digest(algorithm, bytes) == self.imprint)
    }
}
