use const_oid::db::{
    rfc5912::{ID_SHA_1, ID_SHA_256},
    rfc6960::ID_PKIX_OCSP_NONCE,
};
use der::{Decode as _, Encode as _, asn1::OctetString};
use jiff::{SignedDuration, Timestamp};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use x509_cert::{Certificate, ext::pkix::CrlReason};
use x509_ocsp::{
    BasicOcspResponse, CertId, CertStatus, OcspRequest, OcspResponse, ResponderId, ResponseData,
    RevokedInfo, SingleResponse, Version,
};

use crate::{
    der_time::ocsp_time,
    error::WorldError,
    pki::{Authority, CertificateStatus, Pki},
};

/// By when there is newer information, as the revocation lists say too: without
/// it, some validators take no answer for fresh that a document holds.
const NEWS_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Answers a request with the responder of the authority that its CertIDs
/// name; an `expected` authority answers for itself alone.
pub(super) fn answer(
    pki: &Pki,
    expected: Option<&str>,
    request: &[u8],
    now: Timestamp,
) -> Result<OcspResponse, WorldError> {
    let Ok(request) = OcspRequest::from_der(request) else {
        return Ok(OcspResponse::malformed_request());
    };
    let certificates = &request.tbs_request.request_list;
    let Some(first) = certificates.first() else {
        return Ok(OcspResponse::malformed_request());
    };
    let authority = pki.authorities().iter().find(|authority| {
        expected.is_none_or(|id| authority.id() == id)
            && names_issuer(&first.req_cert, authority.certificate())
    });
    let Some(authority) = authority else {
        return Ok(OcspResponse::unauthorized());
    };
    let mut responses = Vec::with_capacity(certificates.len());
    for certificate in certificates {
        let id = certificate.req_cert.clone();
        if !names_issuer(&id, authority.certificate()) {
            return Ok(OcspResponse::unauthorized());
        }
        let status = status(pki, authority, &id)?;
        responses.push(SingleResponse {
            cert_id: id,
            cert_status: status,
            this_update: ocsp_time(now)?,
            next_update: Some(ocsp_time(now + NEWS_WITHIN)?),
            single_extensions: None,
        });
    }
    let nonce = request.tbs_request.request_extensions.map(|extensions| {
        extensions
            .into_iter()
            .filter(|extension| extension.extn_id == ID_PKIX_OCSP_NONCE)
            .collect::<Vec<_>>()
    });
    let data = ResponseData {
        version: Version::V1,
        responder_id: responder_id(authority)?,
        produced_at: ocsp_time(now)?,
        responses,
        response_extensions: nonce.filter(|nonce| !nonce.is_empty()),
    };
    Ok(OcspResponse::successful(sign(authority, data)?)?)
}

fn status(pki: &Pki, authority: &Authority, id: &CertId) -> Result<CertStatus, WorldError> {
    Ok(match pki.status(authority, &id.serial_number) {
        None => CertStatus::unknown(),
        Some(CertificateStatus::Good) => CertStatus::good(),
        Some(CertificateStatus::Revoked { at }) => CertStatus::revoked(RevokedInfo {
            revocation_time: ocsp_time(at)?,
            revocation_reason: Some(CrlReason::CessationOfOperation),
        }),
    })
}

fn sign(authority: &Authority, data: ResponseData) -> Result<BasicOcspResponse, WorldError> {
    let key = authority.responder_key();
    let signature = key.sign_der(&data)?;
    Ok(BasicOcspResponse {
        tbs_response_data: data,
        signature_algorithm: key.algorithm(),
        signature,
        certs: Some(vec![authority.responder_certificate().clone()]),
    })
}

/// `byKey`: SHA-1 of the responder's public key (RFC 6960, 4.2.1).
fn responder_id(authority: &Authority) -> der::Result<ResponderId> {
    let key = &authority
        .responder_certificate()
        .tbs_certificate
        .subject_public_key_info;
    let digest = Sha1::digest(key.subject_public_key.raw_bytes());
    Ok(ResponderId::ByKey(OctetString::new(digest.as_slice())?))
}

/// Whether a CertID (RFC 6960, 4.1.1) with SHA-1 or SHA-256 names this issuer.
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
