use const_oid::db::rfc5912::ID_SHA_1;
use der::asn1::OctetString;
use der::{Any, Encode};
use sha1::{Digest, Sha1};
use spki::AlgorithmIdentifierOwned;
use x509_cert::Certificate;
use x509_ocsp::{
    BasicOcspResponse, CertId, CertStatus, OcspGeneralizedTime, OcspResponse, ResponderId,
    ResponseData, SingleResponse, Version,
};

use super::credential::{Credential, algorithm, date_time, encoded};
use super::error::SignerError;

/// The issuer's own answer that a certificate is good (RFC 6960 clause 4.2.1).
pub(super) fn good(
    issuer: &Credential,
    certificate: &Certificate,
    time: i64,
) -> Result<Vec<u8>, SignerError> {
    let at = OcspGeneralizedTime::from(date_time(time)?);
    let single = SingleResponse {
        cert_id: cert_id(issuer, certificate)?,
        cert_status: CertStatus::good(),
        this_update: at,
        next_update: None,
        single_extensions: None,
    };
    let data = ResponseData {
        version: Version::V1,
        responder_id: ResponderId::ByName(issuer.name().clone()),
        produced_at: at,
        responses: vec![single],
        response_extensions: None,
    };
    let signature = issuer.sign_der(&data)?;
    let response = OcspResponse::successful(BasicOcspResponse {
        tbs_response_data: data,
        signature_algorithm: algorithm(),
        signature,
        certs: None,
    })?;
    encoded(&response)
}

/// Names a certificate by its issuer and number (RFC 6960 clause 4.1.1).
fn cert_id(issuer: &Credential, certificate: &Certificate) -> Result<CertId, SignerError> {
    let key = &issuer.certificate().tbs_certificate.subject_public_key_info;
    let sha1 = |bytes: &[u8]| OctetString::new(Sha1::digest(bytes).as_slice());
    Ok(CertId {
        hash_algorithm: AlgorithmIdentifierOwned {
            oid: ID_SHA_1,
            parameters: Some(Any::null()),
        },
        issuer_name_hash: sha1(&issuer.name().to_der()?)?,
        issuer_key_hash: sha1(key.subject_public_key.raw_bytes())?,
        serial_number: certificate.tbs_certificate.serial_number.clone(),
    })
}
