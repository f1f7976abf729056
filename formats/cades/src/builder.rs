use const_oid::db::rfc5911;
use der::Tag;
use parafa_format_core::SignatureAlgorithm;
use parafa_pki::Certificate;
use parafa_pki::algorithm::{encode_digest, encode_signature};
use parafa_pki::asn1::{Element, context, encode, object_identifier, sequence, set_of};
use parafa_pki::attributes::TIMESTAMP_TOKEN;

use crate::attributes::encode_attribute;
use crate::{Error, SignedAttributes};

/// Builds a detached SignedData with one signer (RFC 5652, 5; ETSI EN 319
/// 142-1, 6.3).
#[derive(Clone, Debug)]
pub struct SignedDataBuilder<'a> {
    attributes: &'a SignedAttributes,
    /// DER-encoded AlgorithmIdentifier.
    algorithm: Vec<u8>,
    signer: Certificate<'a>,
    certificates: Vec<Vec<u8>>,
    value: &'a [u8],
    timestamp: Option<&'a [u8]>,
}

impl<'a> SignedDataBuilder<'a> {
    /// Starts with a signature `value` over `attributes`. `signer_chain` is
    /// DER-encoded, the signer's certificate first, and embedded byte for byte.
    ///
    /// # Errors
    /// The chain is empty or unreadable, `algorithm` has another digest than
    /// the attributes, or it is not allowed for new signatures.
    pub fn new(
        attributes: &'a SignedAttributes,
        algorithm: SignatureAlgorithm,
        signer_chain: &'a [Vec<u8>],
        value: &'a [u8],
    ) -> Result<Self, Error> {
        if attributes.digest_algorithm() != algorithm.digest() {
            return Err(Error::DigestConflict {
                attributes: attributes.digest_algorithm(),
                signature: algorithm.digest(),
            });
        }
        let encoded = encode_signature(algorithm).ok_or(Error::Algorithm(algorithm))?;
        let signer = signer_chain.first().ok_or(Error::NoSignerCertificate)?;
        let signer = Certificate::from_der(signer)?;
        for certificate in signer_chain {
            Certificate::from_der(certificate)?;
        }
        let mut certificates = signer_chain.to_vec();
        certificates.sort_unstable();
        certificates.dedup();
        Ok(Self {
            attributes,
            algorithm: encoded,
            signer,
            certificates,
            value,
            timestamp: None,
        })
    }

    /// Adds a DER-encoded time-stamp token over the signature value, as an
    /// unsigned attribute (ETSI EN 319 122-1, 5.3).
    ///
    /// # Errors
    /// The token is not a single DER element.
    pub fn with_timestamp(mut self, token: &'a [u8]) -> Result<Self, Error> {
        Element::parse("TimeStampToken", token)?;
        self.timestamp = Some(token);
        Ok(self)
    }

    /// Returns the DER-encoded ContentInfo.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        const VERSION: [u8; 1] = [1];

        let version = encode(Tag::Integer, &VERSION);
        let digest_algorithm = encode_digest(self.attributes.digest_algorithm());
        let signed_data = sequence([
            &version,
            &encode(Tag::Set, &digest_algorithm),
            &sequence([&object_identifier(rfc5911::ID_DATA)]),
            &encode(context(0), &set_of(self.certificates.clone())),
            &encode(Tag::Set, &self.signer_info(&version, &digest_algorithm)),
        ]);
        sequence([
            &object_identifier(rfc5911::ID_SIGNED_DATA),
            &encode(context(0), &signed_data),
        ])
    }

    fn signer_info(&self, version: &[u8], digest_algorithm: &[u8]) -> Vec<u8> {
        let timestamp = self
            .timestamp
            .map(|token| encode(context(1), &encode_attribute(TIMESTAMP_TOKEN, token)))
            .unwrap_or_default();
        sequence([
            version,
            &sequence([self.signer.issuer(), self.signer.serial_number()]),
            digest_algorithm,
            &implicit_attributes(self.attributes),
            &self.algorithm,
            &encode(Tag::OctetString, self.value),
            &timestamp,
        ])
    }
}

/// Returns the signed attributes under their implicit tag; all other bytes are
/// as signed.
fn implicit_attributes(attributes: &SignedAttributes) -> Vec<u8> {
    let mut der = attributes.to_be_signed().to_vec();
    if let Some(identifier) = der.first_mut() {
        *identifier = context(0).octet();
    }
    der
}
