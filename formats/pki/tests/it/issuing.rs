//! What issuers tell about their certificates, put together byte by byte, so
//! that those who read it are not judged by their own hand.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use openssl::bn::BigNumContext;
use openssl::ec::PointConversionForm;
use openssl::sha::sha1;
use openssl::x509::X509;
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};

use crate::pki::Holder;

const SHA1: &[u8] = &[6, 5, 0x2B, 0x0E, 3, 2, 0x1A];
const ECDSA_SHA256: &[u8] = &[6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2];
const OCSP_BASIC: &[u8] = &[6, 9, 0x2B, 6, 1, 5, 5, 7, 0x30, 1, 1];
const ARCHIVE_CUTOFF: &[u8] = &[6, 9, 0x2B, 6, 1, 5, 5, 7, 0x30, 1, 6];
const EXPIRED_CERTS_ON_CRL: &[u8] = &[6, 3, 0x55, 0x1D, 0x3C];
const ISSUING_DISTRIBUTION_POINT: &[u8] = &[6, 3, 0x55, 0x1D, 0x1C];

const ENUMERATED: u8 = 0x0A;
const GENERALIZED_TIME: u8 = 0x18;
const INTEGER: u8 = 2;
const OCTET_STRING: u8 = 4;
const BIT_STRING: u8 = 3;
const SEQUENCE: u8 = 0x30;

/// What is told of a certificate.
#[derive(Clone, Copy)]
pub(crate) enum CertStatus {
    Good,
    Revoked { at: i64 },
    Unknown,
}

/// When it is told, and until when that is the newest; seconds since the Unix
/// epoch.
#[derive(Clone, Copy)]
pub(crate) struct Period {
    pub(crate) this_update: i64,
    pub(crate) next_update: Option<i64>,
}

impl Period {
    /// From now on for an hour.
    pub(crate) fn fresh() -> Self {
        Self {
            this_update: now(),
            next_update: Some(now() + 3600),
        }
    }

    /// From so many seconds ago to so many seconds from now.
    pub(crate) fn around_now(ago: i64, from_now: i64) -> Self {
        Self {
            this_update: now() - ago,
            next_update: Some(now() + from_now),
        }
    }
}

/// Seconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// An OCSPResponse of `responder`, who may be the issuer.
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

/// A SingleResponse with Extensions, each as DER.
pub(crate) fn single_response(
    certificate: &X509,
    issuer: &Holder,
    told: CertStatus,
    period: Period,
    extensions: &[Vec<u8>],
) -> Vec<u8> {
    let issuer_name = issuer.certificate.subject_name().to_der().unwrap();
    let id = sequence(&[
        &sequence(&[SHA1]),
        &tlv(OCTET_STRING, &sha1(&issuer_name)),
        &tlv(OCTET_STRING, &sha1(&public_point(issuer))),
        &serial_number(certificate),
    ]);
    let status = match told {
        CertStatus::Good => tlv(0x80, &[]),
        CertStatus::Revoked { at } => tlv(0xA1, &time(at)),
        CertStatus::Unknown => tlv(0x82, &[]),
    };
    let next = period
        .next_update
        .map(|next| tlv(0xA0, &time(next)))
        .unwrap_or_default();
    let extensions = tagged_extensions(0xA1, extensions);
    sequence(&[&id, &status, &time(period.this_update), &next, &extensions])
}

/// An OCSPResponse with SingleResponses and Extensions, each as DER.
pub(crate) fn ocsp_response_of(
    singles: &[Vec<u8>],
    responder: &Holder,
    produced_at: i64,
    extensions: &[Vec<u8>],
) -> Vec<u8> {
    let responder_name = responder.certificate.subject_name().to_der().unwrap();
    let data = sequence(&[
        &tlv(0xA1, &responder_name),
        &time(produced_at),
        &sequence(&[&singles.concat()]),
        &tagged_extensions(0xA1, extensions),
    ]);
    let certificate = responder.certificate.to_der().unwrap();
    let basic = sequence(&[
        &data,
        &sequence(&[ECDSA_SHA256]),
        &signature(responder, &data),
        &tlv(0xA0, &sequence(&[&certificate])),
    ]);
    let bytes = sequence(&[OCSP_BASIC, &tlv(OCTET_STRING, &basic)]);
    sequence(&[&tlv(ENUMERATED, &[0]), &tlv(0xA0, &bytes)])
}

/// An Extension that nobody knows and that is critical.
pub(crate) fn unknown_extension() -> Vec<u8> {
    extension(&[6, 3, 0x2A, 3, 4], true, &[5, 0])
}

/// Since when a responder remembers what has expired (RFC 6960, 4.4.4).
pub(crate) fn archive_cutoff(since: i64) -> Vec<u8> {
    extension(ARCHIVE_CUTOFF, false, &time(since))
}

/// Since when a list has what has expired (ITU-T X.509, 9.5.2.8).
pub(crate) fn expired_on_list(since: i64) -> Vec<u8> {
    extension(EXPIRED_CERTS_ON_CRL, false, &time(since))
}

/// An OCSPResponse of a responder that has no time.
pub(crate) fn ocsp_try_later() -> Vec<u8> {
    sequence(&[&tlv(ENUMERATED, &[3])])
}

/// A CertificateList with these certificates on it.
pub(crate) fn revocation_list(
    issuer: &Holder,
    revoked: &[(&X509, i64)],
    period: Period,
) -> Vec<u8> {
    revocation_list_of(issuer, Some(issuer), revoked, period, &[])
}

/// A CertificateList for those certificates only that an
/// IssuingDistributionPoint says.
pub(crate) fn revocation_list_for(
    issuer: &Holder,
    revoked: &[(&X509, i64)],
    period: Period,
    distribution_point: &[u8],
) -> Vec<u8> {
    let point = extension(
        ISSUING_DISTRIBUTION_POINT,
        true,
        &sequence(&[distribution_point]),
    );
    revocation_list_of(issuer, Some(issuer), revoked, period, &[point])
}

/// A CertificateList with Extensions, each as DER, that `signer` signs in the
/// name of `issuer`; without a signer there are a few octets in the place of a
/// signature.
pub(crate) fn revocation_list_of(
    issuer: &Holder,
    signer: Option<&Holder>,
    revoked: &[(&X509, i64)],
    period: Period,
    extensions: &[Vec<u8>],
) -> Vec<u8> {
    let entries: Vec<u8> = revoked
        .iter()
        .flat_map(|(certificate, at)| sequence(&[&serial_number(certificate), &time(*at)]))
        .collect();
    let entries = if entries.is_empty() {
        Vec::new()
    } else {
        sequence(&[&entries])
    };
    let next = period.next_update.map(time).unwrap_or_default();
    let list = sequence(&[
        &tlv(INTEGER, &[1]),
        &sequence(&[ECDSA_SHA256]),
        &issuer.certificate.subject_name().to_der().unwrap(),
        &time(period.this_update),
        &next,
        &entries,
        &tagged_extensions(0xA0, extensions),
    ]);
    let signature = match signer {
        Some(signer) => signature(signer, &list),
        None => tlv(BIT_STRING, &[0, 1, 2, 3]),
    };
    sequence(&[&list, &sequence(&[ECDSA_SHA256]), &signature])
}

fn extension(oid: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if is_critical { &[1, 1, 0xFF] } else { &[] };
    sequence(&[oid, critical, &tlv(OCTET_STRING, value)])
}

/// Extensions under a context tag; nothing when there are none.
fn tagged_extensions(tag: u8, extensions: &[Vec<u8>]) -> Vec<u8> {
    if extensions.is_empty() {
        return Vec::new();
    }
    tlv(tag, &sequence(&[&extensions.concat()]))
}

fn signature(holder: &Holder, bytes: &[u8]) -> Vec<u8> {
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let value = holder.sign(algorithm, bytes);
    tlv(BIT_STRING, &[&[0], value.as_slice()].concat())
}

fn serial_number(certificate: &X509) -> Vec<u8> {
    let magnitude = certificate.serial_number().to_bn().unwrap().to_vec();
    let sign: &[u8] = if magnitude[0] >= 0x80 { &[0] } else { &[] };
    tlv(INTEGER, &[sign, &magnitude].concat())
}

fn public_point(holder: &Holder) -> Vec<u8> {
    let key = holder.key.ec_key().expect("issuers here have EC keys");
    let mut context = BigNumContext::new().unwrap();
    let form = PointConversionForm::UNCOMPRESSED;
    key.public_key()
        .to_bytes(key.group(), form, &mut context)
        .unwrap()
}

fn time(seconds: i64) -> Vec<u8> {
    let time = Timestamp::from_second(seconds).unwrap();
    let text = time.strftime("%Y%m%d%H%M%SZ").to_string();
    tlv(GENERALIZED_TIME, text.as_bytes())
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, &parts.concat())
}

/// A DER element.
pub(crate) fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len().to_be_bytes();
    let len: Vec<u8> = len.into_iter().skip_while(|byte| *byte == 0).collect();
    let head = match value.len() {
        short @ 0..=0x7F => vec![tag, u8::try_from(short).unwrap()],
        _ => [vec![tag, 0x80 | u8::try_from(len.len()).unwrap()], len].concat(),
    };
    [head.as_slice(), value].concat()
}
