//! OCSP responses (RFC 6960 clause 4.2).
//!
//! `x509-ocsp` reads whole seconds only and the responders of the field send
//! fractions too, so the parts with times in them are read here.

use std::time::Duration;

use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use const_oid::db::rfc6960::{ID_PKIX_OCSP_BASIC, ID_PKIX_OCSP_NONCE};
use der::asn1::{Any, BitString, Null, OctetString};
use der::{Decode, DecodeValue, Encode, FixedTag, Header, Reader, Tag, TagMode, TagNumber};
use jiff::Timestamp;
use sha1::{Digest, Sha1};
use spki::AlgorithmIdentifierOwned;
use x509_cert::ext::{Extension, Extensions};
use x509_ocsp::{CertId, OcspResponse, OcspResponseStatus, ResponderId};

use super::OcspError;
use super::request::OcspQuery;
use crate::certificate::Certificate;
use crate::path;
use crate::signature;
use crate::wire::WireTime;

/// Maximum number of certificates of a response that are read.
const MAX_EMBEDDED_CERTIFICATES: usize = 8;

/// Status of a certificate by a responder (RFC 6960 clause 2.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CertificateStatus {
    /// Not revoked.
    Good,
    /// Revoked or suspended.
    Revoked {
        /// Since when.
        at: Timestamp,
    },
    /// The responder does not know the certificate.
    Unknown,
}

/// A checked answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OcspEvidence {
    /// The whole OCSPResponse in DER, as received.
    pub response_der: Vec<u8>,
    /// Status of the certificate.
    pub status: CertificateStatus,
    /// Time at which the status was known to be correct.
    pub this_update: Timestamp,
    /// Time of the next update.
    pub next_update: Option<Timestamp>,
    /// Time of signing.
    pub produced_at: Timestamp,
    /// Certificate of the delegated responder; `None` if the issuer signed.
    pub responder: Option<Certificate>,
}

/// Requirements for a response.
pub(super) struct Expected<'a> {
    pub(super) query: &'a OcspQuery<'a>,
    pub(super) nonce_must_return: bool,
    pub(super) clock_skew: Duration,
    pub(super) max_age: Duration,
}

impl Expected<'_> {
    pub(super) fn check(
        &self,
        response_der: &[u8],
        now: Timestamp,
    ) -> Result<OcspEvidence, OcspError> {
        let basic = basic_response(response_der)?;
        let data = ResponseData::from_der(&basic.tbs_octets).map_err(OcspError::Malformed)?;
        let responder = self.responder(&basic, &data.responder, now)?;
        let answer = self.answer(data.responses)?;
        let is_revoked = matches!(answer.status, CertificateStatus::Revoked { .. });
        let timely = self
            .check_extensions(&data.extensions)
            .and_then(|()| self.check_times(&answer, now));
        match timely {
            // A revocation once stated is not undone by an older response.
            Err(OcspError::Stale(_) | OcspError::Nonce) if is_revoked => {}
            timely => timely?,
        }
        Ok(OcspEvidence {
            response_der: response_der.to_vec(),
            status: answer.status,
            this_update: answer.this_update.0,
            next_update: answer.next_update.map(|time| time.0),
            produced_at: data.produced_at.0,
            responder,
        })
    }

    /// The signer, after its signature and its right to sign are checked.
    fn responder(
        &self,
        basic: &BasicResponse,
        identifier: &ResponderId,
        now: Timestamp,
    ) -> Result<Option<Certificate>, OcspError> {
        let issuer = self.query.issuer;
        let verify = |signer: &Certificate| {
            signature::verify(
                signer.public_key(),
                &basic.algorithm,
                None,
                &basic.tbs_octets,
                &basic.signature,
            )
            .map_err(OcspError::Signature)
        };
        if identifies(identifier, issuer)? {
            return verify(issuer).map(|()| None);
        }
        let mut fault = OcspError::Responder;
        for der in basic.certificates.iter().take(MAX_EMBEDDED_CERTIFICATES) {
            let Ok(candidate) = Certificate::from_der(der) else {
                continue;
            };
            if !identifies(identifier, &candidate)? {
                continue;
            }
            match self
                .authorised(&candidate, now)
                .and_then(|()| verify(&candidate))
            {
                Ok(()) => return Ok(Some(candidate)),
                Err(error) => fault = error,
            }
        }
        Err(fault)
    }

    /// Checks that `candidate` may answer for the issuer: issued by it directly, valid, and marked
    /// for OCSP signing (RFC 6960 clause 4.2.2.2). A responder cannot answer for a certificate of
    /// its own key.
    fn authorised(&self, candidate: &Certificate, now: Timestamp) -> Result<(), OcspError> {
        let issuer = self.query.issuer;
        let is_its_own = candidate.spki_der() == self.query.certificate.spki_der();
        if is_its_own || !candidate.names_issuer(issuer) {
            return Err(OcspError::Responder);
        }
        let may_sign = candidate
            .extended_key_usage()
            .is_some_and(|purposes| purposes.contains(&ID_KP_OCSP_SIGNING));
        if !may_sign {
            return Err(OcspError::ResponderPurpose);
        }
        path::build(candidate, [], [issuer], now)
            .map(drop)
            .map_err(OcspError::ResponderPath)
    }

    fn check_extensions(&self, extensions: &[Extension]) -> Result<(), OcspError> {
        refuse_unknown_critical(extensions)?;
        let mut returned = extensions
            .iter()
            .filter(|extension| extension.extn_id == ID_PKIX_OCSP_NONCE);
        match (self.query.nonce, returned.next(), returned.next()) {
            (_, Some(_), Some(_)) => Err(OcspError::Nonce),
            (Some(sent), Some(returned), None) => {
                let returned = OctetString::from_der(returned.extn_value.as_bytes());
                let is_equal = returned.is_ok_and(|nonce| nonce.as_bytes() == sent);
                is_equal.then_some(()).ok_or(OcspError::Nonce)
            }
            (Some(_), None, _) if self.nonce_must_return => Err(OcspError::Nonce),
            _ => Ok(()),
        }
    }

    fn answer(&self, responses: Vec<SingleResponse>) -> Result<SingleResponse, OcspError> {
        let mut about = Vec::new();
        for response in responses {
            let is_about = self.query.is_about(&response.cert_id);
            if is_about.map_err(OcspError::Malformed)? {
                about.push(response);
            }
        }
        match <[SingleResponse; 1]>::try_from(about) {
            Ok([answer]) => {
                refuse_unknown_critical(&answer.extensions)?;
                Ok(answer)
            }
            Err(about) => Err(OcspError::NotOneAnswer(about.len())),
        }
    }

    fn check_times(&self, answer: &SingleResponse, now: Timestamp) -> Result<(), OcspError> {
        let WireTime(this_update) = answer.this_update;
        if now.duration_until(this_update) > signed(self.clock_skew) {
            return Err(OcspError::NotYetValid(this_update));
        }
        let age_limit = signed(self.max_age.saturating_add(self.clock_skew));
        if this_update.duration_until(now) > age_limit {
            return Err(OcspError::Stale(this_update));
        }
        match answer.next_update {
            Some(WireTime(next)) if next.duration_until(now) > signed(self.clock_skew) => {
                Err(OcspError::Stale(next))
            }
            _ => Ok(()),
        }
    }
}

fn signed(duration: Duration) -> jiff::SignedDuration {
    jiff::SignedDuration::try_from(duration).unwrap_or(jiff::SignedDuration::MAX)
}

fn refuse_unknown_critical(extensions: &[Extension]) -> Result<(), OcspError> {
    let unknown = extensions
        .iter()
        .find(|extension| extension.critical && extension.extn_id != ID_PKIX_OCSP_NONCE);
    match unknown {
        Some(extension) => Err(OcspError::CriticalExtension(extension.extn_id)),
        None => Ok(()),
    }
}

fn identifies(identifier: &ResponderId, certificate: &Certificate) -> Result<bool, OcspError> {
    Ok(match identifier {
        ResponderId::ByName(name) => {
            name.to_der().map_err(OcspError::Malformed)? == certificate.subject_der()
        }
        ResponderId::ByKey(hash) => {
            hash.as_bytes() == Sha1::digest(certificate.key_octets()).as_slice()
        }
    })
}

fn basic_response(response_der: &[u8]) -> Result<BasicResponse, OcspError> {
    let response = OcspResponse::from_der(response_der).map_err(OcspError::Malformed)?;
    if response.response_status != OcspResponseStatus::Successful {
        return Err(OcspError::Refused(refusal(response.response_status)));
    }
    let bytes = response
        .response_bytes
        .ok_or_else(|| OcspError::Malformed(Tag::Sequence.value_error()))?;
    if bytes.response_type != ID_PKIX_OCSP_BASIC {
        return Err(OcspError::ResponseType(bytes.response_type));
    }
    BasicResponse::from_der(bytes.response.as_bytes()).map_err(OcspError::Malformed)
}

fn refusal(status: OcspResponseStatus) -> u32 {
    match status {
        OcspResponseStatus::Successful => 0,
        OcspResponseStatus::MalformedRequest => 1,
        OcspResponseStatus::InternalError => 2,
        OcspResponseStatus::TryLater => 3,
        OcspResponseStatus::SigRequired => 5,
        OcspResponseStatus::Unauthorized => 6,
    }
}

/// BasicOCSPResponse, its tbsResponseData exactly as received.
struct BasicResponse {
    tbs_octets: Vec<u8>,
    algorithm: AlgorithmIdentifierOwned,
    signature: Vec<u8>,
    certificates: Vec<Vec<u8>>,
}

impl<'a> Decode<'a> for BasicResponse {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let tbs_octets = reader.tlv_bytes()?.to_vec();
            let algorithm = reader.decode()?;
            let signature: BitString = reader.decode()?;
            let certificates: Option<Vec<Any>> =
                reader.context_specific(TagNumber::N0, TagMode::Explicit)?;
            Ok(Self {
                tbs_octets,
                algorithm,
                signature: signature
                    .as_bytes()
                    .ok_or_else(|| Tag::BitString.value_error())?
                    .to_vec(),
                certificates: certificates
                    .iter()
                    .flatten()
                    .map(Encode::to_der)
                    .collect::<der::Result<_>>()?,
            })
        })
    }
}

struct ResponseData {
    responder: ResponderId,
    produced_at: WireTime,
    responses: Vec<SingleResponse>,
    extensions: Extensions,
}

impl<'a> Decode<'a> for ResponseData {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let version: Option<u8> = reader.context_specific(TagNumber::N0, TagMode::Explicit)?;
            if version.is_some_and(|version| version != 0) {
                return Err(Tag::Integer.value_error());
            }
            Ok(Self {
                responder: reader.decode()?,
                produced_at: reader.decode()?,
                responses: reader.decode()?,
                extensions: reader
                    .context_specific(TagNumber::N1, TagMode::Explicit)?
                    .unwrap_or_default(),
            })
        })
    }
}

struct SingleResponse {
    cert_id: CertId,
    status: CertificateStatus,
    this_update: WireTime,
    next_update: Option<WireTime>,
    extensions: Extensions,
}

impl<'a> Decode<'a> for SingleResponse {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            Ok(Self {
                cert_id: reader.decode()?,
                status: decode_status(reader)?,
                this_update: reader.decode()?,
                next_update: reader.context_specific(TagNumber::N0, TagMode::Explicit)?,
                extensions: reader
                    .context_specific(TagNumber::N1, TagMode::Explicit)?
                    .unwrap_or_default(),
            })
        })
    }
}

/// CertStatus: a CHOICE of `[0]`, `[1]` and `[2]`, implicitly tagged.
fn decode_status<'a, R: Reader<'a>>(reader: &mut R) -> der::Result<CertificateStatus> {
    let tag = reader.peek_tag()?;
    let status = match tag.number() {
        TagNumber::N0 if tag.is_context_specific() => reader
            .context_specific::<Null>(TagNumber::N0, TagMode::Implicit)?
            .map(|_| CertificateStatus::Good),
        TagNumber::N1 if tag.is_context_specific() => reader
            .context_specific::<RevokedInfo>(TagNumber::N1, TagMode::Implicit)?
            .map(|info| CertificateStatus::Revoked { at: info.at.0 }),
        TagNumber::N2 if tag.is_context_specific() => reader
            .context_specific::<Null>(TagNumber::N2, TagMode::Implicit)?
            .map(|_| CertificateStatus::Unknown),
        _ => None,
    };
    status.ok_or_else(|| tag.unexpected_error(None))
}

/// RevokedInfo; its optional reason decides nothing here.
struct RevokedInfo {
    at: WireTime,
}

impl FixedTag for RevokedInfo {
    const TAG: Tag = Tag::Sequence;
}

impl<'a> DecodeValue<'a> for RevokedInfo {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        reader.read_nested(header.length, |reader| {
            let at = reader.decode()?;
            while !reader.is_finished() {
                Any::decode(reader)?;
            }
            Ok(Self { at })
        })
    }
}
