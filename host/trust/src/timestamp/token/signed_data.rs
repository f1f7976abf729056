//! The parts of SignedData that a token uses (RFC 5652 clause 5). Read as leniently as deployed
//! services require: certificates may repeat, be of other kinds or be unreadable.

use cms::content_info::ContentInfo;
use const_oid::db::rfc5911::ID_SIGNED_DATA;
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode, Encode, Reader, Tag, TagMode, TagNumber, Tagged};
use spki::AlgorithmIdentifierOwned;

use super::{ID_CT_TST_INFO, TokenFault};
use crate::wire::RawSet;

/// Maximum number of certificates of a token.
const MAX_CERTIFICATES: usize = 16;

/// One signer's SignedData over a TSTInfo.
pub(super) struct SignedData {
    /// The octets of the TSTInfo.
    pub(super) content: Vec<u8>,
    /// Embedded certificates in DER.
    pub(super) certificates: Vec<Vec<u8>>,
    pub(super) signer: SignerInfo,
}

impl SignedData {
    pub(super) fn from_token(token_der: &[u8]) -> Result<Self, TokenFault> {
        let envelope = ContentInfo::from_der(token_der).map_err(TokenFault::Malformed)?;
        if envelope.content_type != ID_SIGNED_DATA {
            return Err(TokenFault::ContentType(envelope.content_type));
        }
        let parts = envelope
            .content
            .to_der()
            .and_then(|der| Parts::from_der(&der))
            .map_err(TokenFault::Malformed)?;
        if parts.content_type != ID_CT_TST_INFO {
            return Err(TokenFault::ContentType(parts.content_type));
        }
        let signers = parts.signers.elements::<SignerInfo>();
        let signers = signers.map_err(TokenFault::Malformed)?;
        let [signer] = <[SignerInfo; 1]>::try_from(signers)
            .map_err(|signers| TokenFault::NotOneSigner(signers.len()))?;
        let mut certificates = match &parts.certificates {
            Some(set) => set.element_octets().map_err(TokenFault::Malformed)?,
            None => Vec::new(),
        };
        certificates.truncate(MAX_CERTIFICATES);
        Ok(Self {
            content: parts.content,
            certificates,
            signer,
        })
    }
}

/// SignerInfo (RFC 5652 clause 5.3).
pub(super) struct SignerInfo {
    pub(super) identifier: SignerIdentifier,
    pub(super) digest_algorithm: AlgorithmIdentifierOwned,
    pub(super) signed_attributes: RawSet,
    pub(super) signature_algorithm: AlgorithmIdentifierOwned,
    pub(super) signature: Vec<u8>,
}

/// SignerIdentifier (RFC 5652 clause 5.3).
pub(super) enum SignerIdentifier {
    IssuerAndSerial { issuer: Vec<u8>, serial: Vec<u8> },
    SubjectKey(Vec<u8>),
}

struct Parts {
    content_type: ObjectIdentifier,
    content: Vec<u8>,
    certificates: Option<RawSet>,
    signers: RawSet,
}

impl<'a> Decode<'a> for Parts {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let _version: u8 = reader.decode()?;
            let _digest_algorithms: RawSet = reader.decode()?;
            let (content_type, content) = reader.sequence(|reader| {
                let content_type = reader.decode()?;
                let content: Option<OctetString> =
                    reader.context_specific(TagNumber::N0, TagMode::Explicit)?;
                let content = content.ok_or_else(|| Tag::OctetString.value_error())?;
                Ok((content_type, content.into_bytes()))
            })?;
            let certificates = reader.context_specific(TagNumber::N0, TagMode::Implicit)?;
            let _revocation: Option<RawSet> =
                reader.context_specific(TagNumber::N1, TagMode::Implicit)?;
            Ok(Self {
                content_type,
                content,
                certificates,
                signers: reader.decode()?,
            })
        })
    }
}

impl<'a> Decode<'a> for SignerInfo {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let _version: u8 = reader.decode()?;
            let identifier = reader.decode()?;
            let digest_algorithm = reader.decode()?;
            let signed_attributes = reader
                .context_specific(TagNumber::N0, TagMode::Implicit)?
                .ok_or_else(|| Tag::Set.value_error())?;
            let signature_algorithm = reader.decode()?;
            let signature: OctetString = reader.decode()?;
            let _unsigned_attributes: Option<RawSet> =
                reader.context_specific(TagNumber::N1, TagMode::Implicit)?;
            Ok(Self {
                identifier,
                digest_algorithm,
                signed_attributes,
                signature_algorithm,
                signature: signature.into_bytes(),
            })
        })
    }
}

impl<'a> Decode<'a> for SignerIdentifier {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        if reader.peek_tag()? != Tag::Sequence {
            let identifier: Option<OctetString> =
                reader.context_specific(TagNumber::N0, TagMode::Implicit)?;
            return identifier
                .map(|identifier| Self::SubjectKey(identifier.into_bytes()))
                .ok_or_else(|| Tag::Sequence.value_error());
        }
        reader.sequence(|reader| {
            let issuer = reader.tlv_bytes()?.to_vec();
            let serial: Any = reader.decode()?;
            serial.tag().assert_eq(Tag::Integer)?;
            Ok(Self::IssuerAndSerial {
                issuer,
                serial: serial.value().to_vec(),
            })
        })
    }
}
