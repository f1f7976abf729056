use cms::cert::CertificateChoices;
use cms::content_info::ContentInfo;
use cms::signed_data::SignedData;
use const_oid::db::rfc5911::ID_SIGNED_DATA;
use der::{Decode, Encode};

use crate::certificate::Certificate;

/// Maximum number of certificates of a bundle that are read.
const MAX_CERTIFICATES: usize = 16;

/// Certificates published by an issuer: one in DER, or a "certs-only" CMS message (RFC 5280 clause
/// 4.2.2.1). Empty for other content.
pub(super) fn read(bytes: &[u8]) -> Vec<Certificate> {
    if let Ok(certificate) = Certificate::from_der(bytes) {
        return vec![certificate];
    }
    bundled(bytes).unwrap_or_default()
}

fn bundled(bytes: &[u8]) -> der::Result<Vec<Certificate>> {
    let message = ContentInfo::from_der(bytes)?;
    if message.content_type != ID_SIGNED_DATA {
        return Ok(Vec::new());
    }
    let bundle: SignedData = message.content.decode_as()?;
    let choices = bundle.certificates.iter().flat_map(|set| set.0.iter());
    let certificates = choices
        .filter_map(|choice| match choice {
            CertificateChoices::Certificate(certificate) => certificate.to_der().ok(),
            CertificateChoices::Other(_) => None,
        })
        .take(MAX_CERTIFICATES)
        .filter_map(|der| Certificate::from_der(&der).ok());
    Ok(certificates.collect())
}
