//! OCSP responses (RFC 6960, 4.2), reduced to the status of certificates.

mod single_response;

use const_oid::db::rfc6960::{
    ID_PKIX_OCSP_BASIC, ID_PKIX_OCSP_EXTENDED_REVOKE, ID_PKIX_OCSP_NONCE,
};
use der::Tag;
use parafa_format_core::{DigestAlgorithm, Environment, Part};

use crate::asn1::{Element, context};
use crate::extension::{self, Extension};
use crate::issuer::Issuer;
use crate::revocation::{CertificateStatus, RevocationError, RevocationSigner};
use crate::signed::Signed;
use crate::time::seconds_since_epoch;
use crate::{Certificate, Error};

use single_response::{SingleResponse, Status};

/// The `successful` of OCSPResponseStatus.
const SUCCESSFUL: [u8; 1] = [0];

/// Maximum number of certificates per response; most have one.
const MAX_RESPONSES: usize = 20;

/// A BasicOCSPResponse inside a successful OCSPResponse.
#[derive(Clone, Debug)]
pub(crate) struct OcspResponse<'a> {
    signed: Signed<'a>,
    responder: ResponderId<'a>,
    produced_at: i64,
    responses: Vec<SingleResponse<'a>>,
    certificates: Vec<&'a [u8]>,
    /// Has an unknown critical extension.
    is_limited: bool,
    nonce: Option<&'a [u8]>,
}

/// Claimed responder.
#[derive(Clone, Copy, Debug)]
enum ResponderId<'a> {
    /// SHA-1 digest of the public key.
    KeyHash(&'a [u8]),
    /// DER-encoded Name.
    Name(&'a [u8]),
}

impl<'a> OcspResponse<'a> {
    /// Reads a DER-encoded OCSPResponse.
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "OCSPResponse";

        let mut response = Element::sequence(WHAT, der)?;
        let status = response.expect(Tag::Enumerated)?;
        if status.value != SUCCESSFUL {
            return Err(Error::Missing("successful response of the OCSP responder"));
        }
        let bytes = response.expect(context(0))?;
        let mut bytes = Element::sequence("ResponseBytes", bytes.value)?;
        let kind = bytes.expect(Tag::ObjectIdentifier)?;
        if kind.value != ID_PKIX_OCSP_BASIC.as_bytes() {
            return Err(Error::Missing("BasicOCSPResponse"));
        }
        Self::parse_basic(bytes.expect(Tag::OctetString)?.value)
    }

    fn parse_basic(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "BasicOCSPResponse";

        let mut parts = Element::sequence(WHAT, der)?;
        let signed = Signed::read(WHAT, &mut parts)?;
        let certificates = match parts.optional(context(0))? {
            Some(list) => Element::sequence(WHAT, list.value)?.remaining()?,
            None => Vec::new(),
        };
        parts.finish()?;
        let mut data = signed.value.children("ResponseData")?;
        data.optional(context(0))?;
        let responder = ResponderId::parse(data.any()?)?;
        let produced_at = seconds_since_epoch("producedAt", data.expect(Tag::GeneralizedTime)?)?;
        let responses = data.expect(Tag::Sequence)?.children("ResponseData")?;
        let responses = responses.remaining()?;
        if responses.len() > MAX_RESPONSES {
            return Err(Error::TooManyElements(MAX_RESPONSES));
        }
        let extensions = match data.optional(context(1))? {
            Some(extensions) => extension::read("responseExtensions", extensions)?,
            None => Vec::new(),
        };
        let mut nonces = extensions
            .iter()
            .filter(|extension| extension.oid == ID_PKIX_OCSP_NONCE);
        Ok(Self {
            signed,
            responder,
            produced_at,
            responses: responses
                .into_iter()
                .map(SingleResponse::parse)
                .collect::<Result<_, _>>()?,
            certificates: certificates
                .into_iter()
                .map(|certificate| certificate.der)
                .collect(),
            is_limited: has_unknown_critical(&extensions),
            nonce: nonces.next().map(|nonce| nonce.value),
        })
    }

    /// Returns the value of the nonce extension (4.4.1).
    pub(crate) fn nonce(&self) -> Option<&'a [u8]> {
        self.nonce
    }

    /// Returns the signing time.
    pub(crate) fn produced_at(&self) -> i64 {
        self.produced_at
    }

    /// Returns whether the responder is named as the subject of a certificate.
    pub(crate) fn names_responder<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> bool {
        self.responder.is(environment, certificate)
    }

    /// Returns whether the key of a certificate signed it.
    pub(crate) fn is_signed_by<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> bool {
        self.signed.verifies(environment, certificate)
    }

    /// Returns the DER-encoded certificates in the response.
    pub(crate) fn certificates(&self) -> &[&'a [u8]] {
        &self.certificates
    }

    /// Returns the DER-encoded serial numbers of its certificates.
    pub(crate) fn serial_numbers(&self) -> Vec<&'a [u8]> {
        let responses = self.responses.iter();
        responses.map(|response| response.serial_number).collect()
    }

    /// Returns whether it has a status for a certificate of an issuer.
    pub(crate) fn is_about<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Issuer<'_>,
    ) -> bool {
        let mut responses = self.responses.iter();
        responses.any(|response| response.names(environment, certificate, issuer))
    }

    /// Returns the signer: the issuer, or a delegate certified by the issuer
    /// (4.2.2.2) with a certificate valid at that time. Delegates are searched
    /// in the response and in `others`.
    pub(crate) fn signer<'c, E: Environment>(
        &self,
        environment: &E,
        issuer: &Issuer<'_>,
        mut others: impl Iterator<Item = &'c [u8]>,
    ) -> Option<RevocationSigner> {
        if self.responder.is(environment, issuer.certificate())
            && self.signed.verifies(environment, issuer.certificate())
        {
            return Some(RevocationSigner::Issuer);
        }
        let is_delegate = |candidate: &[u8]| {
            self.is_signed_by_delegate(environment, candidate, issuer.certificate())
        };
        let own = self.certificates.iter().find(|own| is_delegate(own));
        let delegate = match own {
            Some(own) => own.to_vec(),
            None => others.find(|other| is_delegate(other))?.to_vec(),
        };
        Some(RevocationSigner::Delegate(delegate))
    }

    /// Returns the status of a certificate.
    pub(crate) fn status<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Issuer<'_>,
    ) -> Result<CertificateStatus, RevocationError> {
        let mut responses = self
            .responses
            .iter()
            .filter(|response| response.names(environment, certificate, issuer));
        let response = responses.next().ok_or(RevocationError::OtherCertificate)?;
        if responses.next().is_some() {
            return Err(RevocationError::Ambiguous);
        }
        if self.is_limited || response.is_limited {
            return Err(RevocationError::CriticalExtension);
        }
        Ok(CertificateStatus {
            revoked_at: match response.status {
                Status::Good => None,
                Status::Revoked(at) => Some(at),
                Status::Unknown => return Err(RevocationError::Unknown),
            },
            this_update: response.this_update,
            next_update: response.next_update,
            told_at: self.produced_at,
            expired_since: response.archive_cutoff,
        })
    }

    fn is_signed_by_delegate<E: Environment>(
        &self,
        environment: &E,
        candidate: &[u8],
        issuer: &Certificate<'_>,
    ) -> bool {
        Certificate::from_der(candidate).is_ok_and(|candidate| {
            candidate.may_sign_ocsp_responses()
                && candidate.was_valid_at(self.produced_at)
                && self.responder.is(environment, &candidate)
                && self.signed.verifies(environment, &candidate)
                && candidate.is_issued_by(environment, issuer)
        })
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

    fn is<E: Environment>(self, environment: &E, certificate: &Certificate<'_>) -> bool {
        match self {
            Self::KeyHash(hash) => certificate.subject_public_key().is_some_and(|key| {
                environment.digest(DigestAlgorithm::Sha1, &[Part::Bytes(key)]) == hash
            }),
            Self::Name(name) => certificate.subject() == name,
        }
    }
}

/// Returns whether an extension of the response is critical and unknown.
fn has_unknown_critical(extensions: &[Extension<'_>]) -> bool {
    let known = [ID_PKIX_OCSP_NONCE, ID_PKIX_OCSP_EXTENDED_REVOKE];
    extensions
        .iter()
        .any(|extension| extension.is_critical && !known.contains(&extension.oid))
}
