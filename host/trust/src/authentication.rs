//! Whether a certificate may tell who its holder is now.

use std::sync::Arc;

use const_oid::db::rfc5280::ID_KP_CLIENT_AUTH;
use der::asn1::ObjectIdentifier;
use jiff::{SignedDuration, Timestamp};

use crate::anchors::{Purpose, TrustAnchors, TrustedPath};
use crate::certificate::Certificate;
use crate::ocsp::OcspClient;
use crate::signer::{
    CertificateRejection, CheckedSigner, PurposeFault, check_revocation, check_validity,
};
use crate::validation::RevocationSources;

/// What extKeyUsage says of certificates that authenticate: clientAuth, or
/// Smart-ID's own purpose, which has taken its place there.
const AUTHENTICATION_PURPOSES: [ObjectIdentifier; 2] = [
    ID_KP_CLIENT_AUTH,
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62306.5.7.0"),
];

/// Checks certificates with which persons authenticate.
#[derive(Clone)]
pub struct AuthenticationCheck {
    anchors: Arc<TrustAnchors>,
    sources: RevocationSources,
}

impl AuthenticationCheck {
    /// A check against `anchors`.
    #[must_use]
    pub fn new(anchors: Arc<TrustAnchors>, ocsp: OcspClient) -> Self {
        let sources = RevocationSources::new(ocsp);
        Self { anchors, sources }
    }

    /// Whether anybody is trusted to vouch for those who authenticate by the eID
    /// `method`.
    #[must_use]
    pub fn has_anchor_for(&self, method: &str) -> bool {
        self.anchors
            .has_anchor_for(Purpose::Authentication, Some(method))
    }

    /// Checks that `certificate`, presented by the eID `method`, may authenticate
    /// its holder at `now`: validity, path, key usage and revocation, in this
    /// order. Policies of anchors are those of signing certificates, and do not
    /// count here.
    ///
    /// # Errors
    /// [`CertificateRejection`] names the first check that failed.
    pub async fn check(
        &self,
        certificate: &Certificate,
        method: &str,
        now: Timestamp,
    ) -> Result<CheckedSigner, CertificateRejection> {
        check_validity(certificate, now)?;
        let path = self.path(certificate, method, now)?;
        check_purpose(certificate).map_err(CertificateRejection::Purpose)?;
        check_revocation(&self.sources, certificate, path, now).await
    }

    /// Whether an authority that is trusted for the method stands behind the
    /// certificate: now, or while it was valid. Whether it may authenticate
    /// anybody is not looked at.
    #[must_use]
    pub fn is_trusted(&self, certificate: &Certificate, method: &str, now: Timestamp) -> bool {
        // OpenSSL takes a certificate for expired at its last moment.
        let last = certificate.not_after() - SignedDuration::from_secs(1);
        let at = now.min(last).max(certificate.not_before());
        self.path(certificate, method, at).is_ok()
    }

    fn path(
        &self,
        certificate: &Certificate,
        method: &str,
        now: Timestamp,
    ) -> Result<TrustedPath<'_>, CertificateRejection> {
        let purpose = Purpose::Authentication;
        let path = self
            .anchors
            .path(certificate, &[], purpose, Some(method), now);
        path.map_err(CertificateRejection::Untrusted)
    }
}

/// A card's signing certificate holds digitalSignature too: what tells it apart
/// is nonRepudiation.
fn check_purpose(certificate: &Certificate) -> Result<(), PurposeFault> {
    if certificate.is_authority() {
        return Err(PurposeFault::Authority);
    }
    let usage = certificate.key_usage();
    if usage.is_some_and(|usage| usage.non_repudiation()) {
        return Err(PurposeFault::NonRepudiation);
    }
    if !usage.is_some_and(|usage| usage.digital_signature()) {
        return Err(PurposeFault::NoDigitalSignature);
    }
    let purposes = certificate.extended_key_usage();
    let authenticates = |purpose| AUTHENTICATION_PURPOSES.contains(purpose);
    if purposes.is_some_and(|purposes| !purposes.iter().any(authenticates)) {
        return Err(PurposeFault::NoClientAuthentication);
    }
    Ok(())
}
