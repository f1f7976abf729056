//! OCSP responses (RFC 6960, 4.2), as far as they tell of certificates.

use const_oid::db::rfc6960::ID_PKIX_OCSP_BASIC;
use der::Tag;
use parafa_format_core::{DigestAlgorithm, Environment};

use crate::algorithm::{decode_digest, digest};
use crate::element::{Element, context, primitive_context};
use crate::revocation::{CertificateStatus, RevocationError};
use crate::signed::Signed;
use crate::time::seconds_since_epoch;
use crate::{Certificate, Error};

/// The `successful` of OCSPResponseStatus.
const SUCCESSFUL: [u8; 1] = [0];

/// Most certificates that one response tells of; most tell of one.
const MAX_RESPONSES: usize = 20;

/// A BasicOCSPResponse inside a successful OCSPResponse.
#[derive(Clone, Debug)]
pub(crate) struct OcspResponse<'a> {
    signed: Signed<'a>,
    responder: ResponderId<'a>,
    responses: Vec<SingleResponse<'a>>,
    certificates: Vec<&'a [u8]>,
}

/// Whom the responder says that it is.
#[derive(Clone, Copy, Debug)]
enum ResponderId<'a> {
    /// SHA-1 of the public key.
    KeyHash(&'a [u8]),
    /// DER of the Name.
    Name(&'a [u8]),
}

#[derive(Clone, Copy, Debug)]
struct SingleResponse<'a> {
    /// Of the hashes; `None` when the catalogue does not have it.
    algorithm: Option<DigestAlgorithm>,
    issuer_name_hash: &'a [u8],
    issuer_key_hash: &'a [u8],
    /// DER of the INTEGER.
    serial_number: &'a [u8],
    status: Status,
    this_update: i64,
    next_update: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
enum Status {
    Good,
    Revoked(i64),
    Unknown,
}

impl<'a> OcspResponse<'a> {
    /// Reads an OCSPResponse, DER.
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "OCSPResponse";

        let mut response = Element::parse(WHAT, der)?.children(WHAT)?;
        let status = response.expect(Tag::Enumerated)?;
        if status.value != SUCCESSFUL {
            return Err(Error::Missing("successful response of the OCSP responder"));
        }
        let bytes = response.expect(context(0))?;
        let mut bytes = Element::parse("ResponseBytes", bytes.value)?.children("ResponseBytes")?;
        let kind = bytes.expect(Tag::ObjectIdentifier)?;
        if kind.value != ID_PKIX_OCSP_BASIC.as_bytes() {
            return Err(Error::Missing("BasicOCSPResponse"));
        }
        Self::parse_basic(bytes.expect(Tag::OctetString)?.value)
    }

    fn parse_basic(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "BasicOCSPResponse";

        let mut parts = Element::parse(WHAT, der)?.children(WHAT)?;
        let signed = Signed::read(WHAT, &mut parts)?;
        let certificates = match parts.optional(context(0))? {
            Some(list) => Element::parse(WHAT, list.value)?
                .children(WHAT)?
                .remaining()?,
            None => Vec::new(),
        };
        parts.finish()?;
        let mut data = signed.value.children("ResponseData")?;
        data.optional(context(0))?;
        let responder = ResponderId::parse(data.any()?)?;
        data.expect(Tag::GeneralizedTime)?;
        let responses = data.expect(Tag::Sequence)?.children("ResponseData")?;
        let responses = responses.remaining()?;
        if responses.len() > MAX_RESPONSES {
            return Err(Error::TooManyElements(MAX_RESPONSES));
        }
        Ok(Self {
            signed,
            responder,
            responses: responses
                .into_iter()
                .map(SingleResponse::parse)
                .collect::<Result<_, _>>()?,
            certificates: certificates
                .into_iter()
                .map(|certificate| certificate.der)
                .collect(),
        })
    }

    /// DER of the certificates that come with the response.
    pub(crate) fn certificates(&self) -> &[&'a [u8]] {
        &self.certificates
    }

    /// Whether it tells about a certificate.
    pub(crate) fn is_about(&self, certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> bool {
        self.about(certificate, issuer).is_some()
    }

    /// What it tells about a certificate. It must be signed by the issuer, or
    /// by somebody whom the issuer certified for that (4.2.2.2), who is looked
    /// for among the response's certificates and `others`.
    pub(crate) fn status<'c, E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Certificate<'_>,
        mut others: impl Iterator<Item = &'c [u8]>,
    ) -> Result<CertificateStatus, RevocationError> {
        let response = self
            .about(certificate, issuer)
            .ok_or(RevocationError::OtherCertificate)?;
        let revoked_at = match response.status {
            Status::Good => None,
            Status::Revoked(at) => Some(at),
            Status::Unknown => return Err(RevocationError::Unknown),
        };
        let delegate = if self.responder.is(issuer) && self.signed.verifies(environment, issuer) {
            None
        } else {
            let is_delegate =
                |candidate: &[u8]| self.is_signed_by_delegate(environment, candidate, issuer);
            let own = self.certificates.iter().find(|own| is_delegate(own));
            let delegate = match own {
                Some(own) => Some(own.to_vec()),
                None => others.find(|other| is_delegate(other)).map(<[u8]>::to_vec),
            };
            Some(delegate.ok_or(RevocationError::Signature)?)
        };
        Ok(CertificateStatus {
            revoked_at,
            this_update: response.this_update,
            next_update: response.next_update,
            delegate,
        })
    }

    fn is_signed_by_delegate<E: Environment>(
        &self,
        environment: &E,
        candidate: &[u8],
        issuer: &Certificate<'_>,
    ) -> bool {
        Certificate::from_der(candidate).is_ok_and(|candidate| {
            self.responder.is(&candidate)
                && candidate.may_sign_ocsp_responses()
                && self.signed.verifies(environment, &candidate)
                && candidate.is_issued_by(environment, issuer)
        })
    }

    fn about(
        &self,
        certificate: &Certificate<'_>,
        issuer: &Certificate<'_>,
    ) -> Option<&SingleResponse<'a>> {
        let mut responses = self.responses.iter();
        responses.find(|response| response.names(certificate, issuer))
    }
}

impl<'a> ResponderId<'a> {
    fn parse(id: Element<'a>) -> Result<Self, Error> {
        const WHAT: &str = "ResponderID";

        let inner = Element::parse(WHAT, id.value)?;
        match (id.tag, inner.tag) {
            (tag, Tag::Sequence) if tag == context(1) => Ok(Self::Name(inner.der)),
            (tag, Tag::OctetString) if tag == context(2) => Ok(Self::KeyHash(inner.value)),
            _ => Err(Error::unexpected(WHAT)),
        }
    }

    fn is(self, certificate: &Certificate<'_>) -> bool {
        match self {
            Self::KeyHash(hash) => certificate
                .subject_public_key()
                .is_some_and(|key| digest(DigestAlgorithm::Sha1, key) == hash),
            Self::Name(name) => certificate.subject() == name,
        }
    }
}

impl<'a> SingleResponse<'a> {
    fn parse(response: Element<'a>) -> Result<Self, Error> {
        const WHAT: &str = "SingleResponse";

        let mut parts = response.children(WHAT)?;
        let mut id = parts.expect(Tag::Sequence)?.children("CertID")?;
        let algorithm = decode_digest(id.expect(Tag::Sequence)?)?;
        let issuer_name_hash = id.expect(Tag::OctetString)?.value;
        let issuer_key_hash = id.expect(Tag::OctetString)?.value;
        let serial_number = id.expect(Tag::Integer)?.der;
        let status = Status::parse(parts.any()?)?;
        let this_update = seconds_since_epoch(WHAT, parts.expect(Tag::GeneralizedTime)?)?;
        let next_update = match parts.optional(context(0))? {
            Some(time) => Some(seconds_since_epoch(
                WHAT,
                Element::parse(WHAT, time.value)?,
            )?),
            None => None,
        };
        Ok(Self {
            algorithm,
            issuer_name_hash,
            issuer_key_hash,
            serial_number,
            status,
            this_update,
            next_update,
        })
    }

    fn names(&self, certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> bool {
        let (Some(algorithm), Some(key)) = (self.algorithm, issuer.subject_public_key()) else {
            return false;
        };
        self.serial_number == certificate.serial_number()
            && digest(algorithm, certificate.issuer()) == self.issuer_name_hash
            && digest(algorithm, key) == self.issuer_key_hash
    }
}

impl Status {
    fn parse(status: Element<'_>) -> Result<Self, Error> {
        const WHAT: &str = "CertStatus";

        match status.tag {
            tag if tag == primitive_context(0) => Ok(Self::Good),
            tag if tag == context(1) => {
                let time = status.children(WHAT)?.expect(Tag::GeneralizedTime)?;
                seconds_since_epoch(WHAT, time).map(Self::Revoked)
            }
            tag if tag == primitive_context(2) => Ok(Self::Unknown),
            _ => Err(Error::unexpected(WHAT)),
        }
    }
}
