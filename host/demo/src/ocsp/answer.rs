use std::slice;

use const_oid::db::{
    rfc5912::{ID_SHA_1, ID_SHA_256},
    rfc6960::ID_PKIX_OCSP_NONCE,
};
use der::{Decode as _, Encode as _};
use jiff::{SignedDuration, Timestamp};
use parafa_issuing::{
    Certificate, Extension, IssuingError, OcspResponse, ResponderId, SingleResponse, Status,
};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use x509_cert::ext::pkix::CrlReason;
use x509_ocsp::{CertId, OcspRequest};

use crate::{
    error::WorldError,
    pki::{Authority, CertificateStatus, Pki, time},
};

/// Time until newer information, also in the revocation lists: without it, some validators do not
/// accept an answer in a document as fresh.
const NEWS_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Answers a request by the responder of the authority in its CertIDs; an `expected` authority
/// answers only for itself.
pub(super) fn answer(
    pki: &Pki,
    expected: Option<&str>,
    request: &[u8],
    now: Timestamp,
) -> Result<Vec<u8>, WorldError> {
    let Ok(request) = OcspRequest::from_der(request) else {
        return Ok(x509_ocsp::OcspResponse::malformed_request().to_der()?);
    };
    let certificates = &request.tbs_request.request_list;
    let Some(first) = certificates.first() else {
        return Ok(x509_ocsp::OcspResponse::malformed_request().to_der()?);
    };
    let authority = pki.authorities().iter().find(|authority| {
        expected.is_none_or(|id| authority.id() == id)
            && names_issuer(&first.req_cert, authority.certificate())
    });
    let Some(authority) = authority else {
        return Ok(x509_ocsp::OcspResponse::unauthorized().to_der()?);
    };
    let mut responses = Vec::with_capacity(certificates.len());
    for certificate in certificates {
        let id = certificate.req_cert.clone();
        if !names_issuer(&id, authority.certificate()) {
            return Ok(x509_ocsp::OcspResponse::unauthorized().to_der()?);
        }
        responses.push(SingleResponse {
            cert_id: id.to_der()?,
            status: status(pki, authority, &id)?,
            this_update: time(now)?,
            next_update: Some(time(now + NEWS_WITHIN)?),
            extensions: Vec::new(),
        });
    }
    let extensions = request.tbs_request.request_extensions.unwrap_or_default();
    let nonce = extensions
        .into_iter()
        .filter(|extension| extension.extn_id == ID_PKIX_OCSP_NONCE)
        .map(|nonce| Extension {
            id: nonce.extn_id,
            critical: nonce.critical,
            value: nonce.extn_value.into_bytes(),
        });
    let response = OcspResponse {
        responder: authority.responder(),
        id: ResponderId::Key,
        certificates: slice::from_ref(&authority.responder().certificate),
        produced_at: time(now)?,
        responses,
        extensions: nonce.collect(),
    };
    Ok(response.der()?)
}

fn status(pki: &Pki, authority: &Authority, id: &CertId) -> Result<Status, IssuingError> {
    Ok(match pki.status(authority, &id.serial_number) {
        None => Status::Unknown,
        Some(CertificateStatus::Good) => Status::Good,
        Some(CertificateStatus::Revoked { at }) => Status::Revoked {
            at: time(at)?,
            reason: Some(CrlReason::CessationOfOperation as u8),
        },
    })
}

/// Returns true if a CertID (RFC 6960, 4.1.1) with SHA-1 or SHA-256 names this issuer.
fn names_issuer(id: &CertId, issuer: &Certificate) -> bool {
    match id.hash_algorithm.oid {
        ID_SHA_1 => hashes_issuer::<Sha1>(id, issuer),
        ID_SHA_256 => hashes_issuer::<Sha256>(id, issuer),
        _ => false,
    }
}

fn hashes_issuer<D: Digest>(id: &CertId, issuer: &Certificate) -> bool {
    let issuer = &issuer.tbs_certificate;
    let key = issuer
        .subject_public_key_info
        .subject_public_key
        .raw_bytes();
    issuer.subject.to_der().is_ok_and(|name| {
        D::digest(name).as_slice() == id.issuer_name_hash.as_bytes()
            && D::digest(key).as_slice() == id.issuer_key_hash.as_bytes()
    })
}
