//! The signed attributes that a token must carry.

use const_oid::db::rfc5911::{
    ID_AA_SIGNING_CERTIFICATE, ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_MESSAGE_DIGEST,
};
use const_oid::db::rfc5912::ID_SHA_256;
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode, Encode, Reader};
use openssl::hash::hash;
use sha1::{Digest, Sha1};
use spki::AlgorithmIdentifierOwned;
use x509_cert::attr::Attribute;

use super::{ID_CT_TST_INFO, TokenFault};
use crate::certificate::Certificate;
use crate::signature::message_digest;
use crate::wire::RawSet;

pub(super) struct SignedAttributes {
    pub(super) message_digest: Vec<u8>,
    pub(super) signing_certificate: SigningCertificate,
}

impl SignedAttributes {
    pub(super) fn parse(set: &RawSet) -> Result<Self, TokenFault> {
        let attributes: Vec<Attribute> = set.elements().map_err(TokenFault::Malformed)?;
        let content_type: ObjectIdentifier = required(&attributes, ID_CONTENT_TYPE)?;
        if content_type != ID_CT_TST_INFO {
            return Err(TokenFault::Attribute(ID_CONTENT_TYPE));
        }
        let message_digest: OctetString = required(&attributes, ID_MESSAGE_DIGEST)?;
        let first = value(&attributes, ID_AA_SIGNING_CERTIFICATE)?;
        let second = value(&attributes, ID_AA_SIGNING_CERTIFICATE_V_2)?;
        if first.is_none() && second.is_none() {
            return Err(TokenFault::Attribute(ID_AA_SIGNING_CERTIFICATE_V_2));
        }
        Ok(Self {
            message_digest: message_digest.into_bytes(),
            signing_certificate: SigningCertificate {
                first: first.map(|value: FirstEssCertId<EssCertId>| value.0),
                second: second.map(|value: FirstEssCertId<EssCertIdV2>| value.0),
            },
        })
    }
}

/// The signing-certificate attributes (RFC 2634 clause 5.4, RFC 5035 clause
/// 3): each that is there must name the signer's certificate first.
pub(super) struct SigningCertificate {
    first: Option<EssCertId>,
    second: Option<EssCertIdV2>,
}

impl SigningCertificate {
    pub(super) fn identifies(&self, certificate: &Certificate) -> bool {
        let by_first = self
            .first
            .as_ref()
            .is_none_or(|id| id.hash == Sha1::digest(certificate.der()).as_slice());
        let by_second = self.second.as_ref().is_none_or(|id| {
            message_digest(id.algorithm)
                .and_then(|digest| hash(digest, certificate.der()).ok())
                .is_some_and(|computed| id.hash == *computed)
        });
        by_first && by_second
    }
}

/// ESSCertID: the certificate's SHA-1 digest.
struct EssCertId {
    hash: Vec<u8>,
}

/// ESSCertIDv2: the certificate's digest by any algorithm.
struct EssCertIdV2 {
    algorithm: ObjectIdentifier,
    hash: Vec<u8>,
}

impl<'a> Decode<'a> for EssCertId {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let hash: OctetString = reader.decode()?;
            let _issuer_serial: Option<Any> = reader.decode()?;
            Ok(Self {
                hash: hash.into_bytes(),
            })
        })
    }
}

impl<'a> Decode<'a> for EssCertIdV2 {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let algorithm: Option<AlgorithmIdentifierOwned> = reader.decode()?;
            let hash: OctetString = reader.decode()?;
            let _issuer_serial: Option<Any> = reader.decode()?;
            Ok(Self {
                algorithm: algorithm.map_or(ID_SHA_256, |algorithm| algorithm.oid),
                hash: hash.into_bytes(),
            })
        })
    }
}

/// SigningCertificate and SigningCertificateV2: only the first identifier is
/// about the signer's own certificate.
struct FirstEssCertId<T>(T);

impl<'a, T: Decode<'a>> Decode<'a> for FirstEssCertId<T> {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let first = reader.sequence(|reader| {
                let first = reader.decode()?;
                while !reader.is_finished() {
                    Any::decode(reader)?;
                }
                Ok(first)
            })?;
            let _policies: Option<Any> = reader.decode()?;
            Ok(Self(first))
        })
    }
}

fn required<T>(attributes: &[Attribute], kind: ObjectIdentifier) -> Result<T, TokenFault>
where
    T: for<'a> Decode<'a>,
{
    value(attributes, kind)?.ok_or(TokenFault::Attribute(kind))
}

/// The one value of the one attribute of `kind`, if there is such an attribute.
fn value<T>(attributes: &[Attribute], kind: ObjectIdentifier) -> Result<Option<T>, TokenFault>
where
    T: for<'a> Decode<'a>,
{
    let mut found = attributes.iter().filter(|attribute| attribute.oid == kind);
    let (Some(attribute), None) = (found.next(), found.next()) else {
        return match attributes.iter().any(|attribute| attribute.oid == kind) {
            true => Err(TokenFault::Attribute(kind)),
            false => Ok(None),
        };
    };
    let [value] = attribute.values.as_slice() else {
        return Err(TokenFault::Attribute(kind));
    };
    value
        .to_der()
        .and_then(|der| T::from_der(&der))
        .map(Some)
        .map_err(|_| TokenFault::Attribute(kind))
}
