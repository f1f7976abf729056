//! Revocation data of test issuers.

use std::slice;
use std::time::{SystemTime, UNIX_EPOCH};

use openssl::x509::X509;
use parafa_issuing::der::{ENUMERATED, algorithm, bit_string, sequence, tlv};
use parafa_issuing::oids::rfc5280::ID_CE_ISSUING_DISTRIBUTION_POINT;
use parafa_issuing::oids::rfc5912::ECDSA_WITH_SHA_256;
use parafa_issuing::oids::rfc6960::ID_PKIX_OCSP_ARCHIVE_CUTOFF;
use parafa_issuing::{
    Extension, ObjectIdentifier, OcspResponse, ResponderId, RevocationList, SingleResponse, Status,
    Time, cert_id,
};

use crate::pki::Holder;

const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");
const UNKNOWN: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.3.4");

/// Status of a certificate.
#[derive(Clone, Copy)]
pub(crate) enum CertStatus {
    Good,
    Revoked { at: i64 },
    Unknown,
}

/// Time of the statement and of the next one, in seconds since the Unix epoch.
#[derive(Clone, Copy)]
pub(crate) struct Period {
    pub(crate) this_update: i64,
    pub(crate) next_update: Option<i64>,
}

impl Period {
    /// Returns the next hour.
    pub(crate) fn fresh() -> Self {
        Self {
            this_update: now(),
            next_update: Some(now() + 3600),
        }
    }

    /// Returns the period from this many seconds ago to this many from now.
    pub(crate) fn around_now(ago: i64, from_now: i64) -> Self {
        Self {
            this_update: now() - ago,
            next_update: Some(now() + from_now),
        }
    }
}

/// Returns the current time in seconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// Returns an OCSPResponse by `responder`, which may be the issuer.
pub(crate) fn ocsp_response(
    certificate: &X509,
    issuer: &Holder,
    responder: &Holder,
    told: CertStatus,
    period: Period,
) -> Vec<u8> {
    let single = single_response(certificate, issuer, told, period, &[]);
    ocsp_response_of(&[single], responder, period.this_update, &[])
}

/// Returns a current OCSPResponse with the status good.
pub(crate) fn good_response(certificate: &X509, issuer: &Holder, responder: &Holder) -> Vec<u8> {
    let (told, period) = (CertStatus::Good, Period::fresh());
    ocsp_response(certificate, issuer, responder, told, period)
}

/// Returns a SingleResponse with Extensions.
pub(crate) fn single_response(
    certificate: &X509,
    issuer: &Holder,
    told: CertStatus,
    period: Period,
    extensions: &[Extension],
) -> SingleResponse {
    SingleResponse {
        cert_id: cert_id(
            &issuer.credential().certificate,
            &serial_number(certificate),
        ),
        status: match told {
            CertStatus::Good => Status::Good,
            CertStatus::Revoked { at } => Status::Revoked {
                at: time(at),
                reason: None,
            },
            CertStatus::Unknown => Status::Unknown,
        },
        this_update: time(period.this_update),
        next_update: period.next_update.map(time),
        extensions: extensions.to_vec(),
    }
}

/// Returns an OCSPResponse with SingleResponses and Extensions.
pub(crate) fn ocsp_response_of(
    singles: &[SingleResponse],
    responder: &Holder,
    produced_at: i64,
    extensions: &[Extension],
) -> Vec<u8> {
    let responder = responder.credential();
    let response = OcspResponse {
        responder: &responder,
        id: ResponderId::Name,
        certificates: slice::from_ref(&responder.certificate),
        produced_at: time(produced_at),
        responses: singles.to_vec(),
        extensions: extensions.to_vec(),
    };
    response.der().unwrap()
}

/// Returns an unknown critical Extension.
pub(crate) fn unknown_extension() -> Extension {
    Extension::critical(UNKNOWN, vec![5, 0])
}

/// Returns the archive cutoff of a responder (RFC 6960, 4.4.4).
pub(crate) fn archive_cutoff(since: i64) -> Extension {
    Extension::plain(ID_PKIX_OCSP_ARCHIVE_CUTOFF, time(since).generalized())
}

/// Returns the `expiredCertsOnCRL` extension of a CRL (ITU-T X.509, 9.5.2.8).
pub(crate) fn expired_on_list(since: i64) -> Extension {
    Extension::plain(EXPIRED_CERTS_ON_CRL, time(since).generalized())
}

/// Returns an OCSPResponse with the status `tryLater`.
pub(crate) fn ocsp_try_later() -> Vec<u8> {
    sequence(&[&tlv(ENUMERATED, &[&[3]])])
}

/// Returns a CertificateList with these certificates.
pub(crate) fn revocation_list(
    issuer: &Holder,
    revoked: &[(&X509, i64)],
    period: Period,
) -> Vec<u8> {
    revocation_list_of(issuer, Some(issuer), revoked, period, &[])
}

/// Returns a CertificateList limited by an IssuingDistributionPoint.
pub(crate) fn revocation_list_for(
    issuer: &Holder,
    revoked: &[(&X509, i64)],
    period: Period,
    distribution_point: &[u8],
) -> Vec<u8> {
    let point = sequence(&[distribution_point]);
    let point = Extension::critical(ID_CE_ISSUING_DISTRIBUTION_POINT, point);
    revocation_list_of(issuer, Some(issuer), revoked, period, &[point])
}

/// Returns a CertificateList with Extensions, signed by `signer` in the name of
/// `issuer`; without a signer, a few octets replace the signature.
pub(crate) fn revocation_list_of(
    issuer: &Holder,
    signer: Option<&Holder>,
    revoked: &[(&X509, i64)],
    period: Period,
    extensions: &[Extension],
) -> Vec<u8> {
    let entry = |(certificate, at): &(&X509, i64)| (serial_number(certificate), time(*at));
    let list = RevocationList {
        issuer: issuer.credential().name(),
        this_update: time(period.this_update),
        next_update: period.next_update.map(time),
        revoked: revoked.iter().map(entry).collect(),
        extensions: extensions.to_vec(),
    };
    let Some(signer) = signer else {
        let algorithm = algorithm(ECDSA_WITH_SHA_256);
        let list = list.to_be_signed(&algorithm);
        return sequence(&[&list, &algorithm, &bit_string(&[1, 2, 3])]);
    };
    list.signed_by(&signer.credential().key).unwrap()
}

fn serial_number(certificate: &X509) -> Vec<u8> {
    certificate.serial_number().to_bn().unwrap().to_vec()
}

fn time(seconds: i64) -> Time {
    Time::from_unix(seconds).unwrap()
}
