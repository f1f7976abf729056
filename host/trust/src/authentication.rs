//! Checks of authentication certificates.

use std::sync::Arc;
use std::time::Duration;

use const_oid::db::rfc5280::ID_KP_CLIENT_AUTH;
use der::asn1::ObjectIdentifier;
use jiff::{SignedDuration, Timestamp};

use crate::anchors::{Purpose, TrustAnchors, TrustedPath};
use crate::certificate::Certificate;
use crate::ocsp::{OcspClient, OcspSettings};
use crate::signer::{
    CertificateRejection, CheckedSigner, PurposeFault, check_revocation, check_validity,
};
use crate::validation::RevocationSources;

/// The eID method whose certificates have key purposes of their own.
const SMART_ID: &str = "smart_id";
/// Smart-ID's purpose for authentication, in certificates since April 2025.
const SMART_ID_AUTHENTICATION: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62306.5.7.0");

/// Checks certificates with which persons authenticate.
#[derive(Clone)]
pub struct AuthenticationCheck {
    anchors: Arc<TrustAnchors>,
    sources: RevocationSources,
    ocsp_max_age: Duration,
}

impl AuthenticationCheck {
    /// A check against `anchors`, with OCSP responses that are at most
    /// `ocsp_max_age` old by this host's clock. How far clocks may differ is
    /// included in it, and is the shortest age.
    #[must_use]
    pub fn new(anchors: Arc<TrustAnchors>, ocsp: OcspClient, ocsp_max_age: Duration) -> Self {
        let sources = RevocationSources::new(ocsp);
        Self {
            anchors,
            sources,
            ocsp_max_age,
        }
    }

    /// Returns true if an anchor is configured for authentication by the eID `method`.
    #[must_use]
    pub fn has_anchor_for(&self, method: &str) -> bool {
        self.anchors
            .has_anchor_for(Purpose::Authentication, Some(method))
    }

    /// Checks that `certificate`, presented by the eID `method`, may authenticate its holder at
    /// `now`. Checks validity, path, key usage and revocation, in this order. Policies of anchors
    /// are those of signing certificates, and are ignored.
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
        check_purpose(certificate, method).map_err(CertificateRejection::Purpose)?;
        let ocsp = self.ocsp_settings(&path.anchor.ocsp);
        check_revocation(&self.sources, certificate, path, &ocsp, now).await
    }

    /// An authority's settings, with this check's limit if it is narrower.
    fn ocsp_settings(&self, of_authority: &OcspSettings) -> OcspSettings {
        let skew = self.sources.ocsp.clock_skew();
        let limit = self.ocsp_max_age.saturating_sub(skew);
        let max_age = of_authority.max_age.unwrap_or(limit).min(limit);
        OcspSettings {
            max_age: Some(max_age),
            ..of_authority.clone()
        }
    }

    /// Returns true if the certificate has a trusted path for the method: now, or while it was
    /// valid. Its fitness for authentication is not checked.
    #[must_use]
    pub fn is_trusted(&self, certificate: &Certificate, method: &str, now: Timestamp) -> bool {
        // OpenSSL treats a certificate as expired in its last second.
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

/// A card's signing certificate has digitalSignature too; only nonRepudiation distinguishes it.
fn check_purpose(certificate: &Certificate, method: &str) -> Result<(), PurposeFault> {
    if certificate.is_authority() {
        return Err(PurposeFault::Authority);
    }
    let usage = certificate
        .key_usage()
        .ok_or(PurposeFault::NoDigitalSignature)?;
    if usage.non_repudiation() {
        return Err(PurposeFault::NonRepudiation);
    }
    if !usage.digital_signature() {
        return Err(PurposeFault::NoDigitalSignature);
    }
    let purposes = certificate.extended_key_usage();
    let has = |purpose| purposes.is_some_and(|purposes| purposes.contains(purpose));
    let is_for_authentication = match method {
        // Older certificates of Smart-ID have clientAuth, and encipherment beside it.
        SMART_ID => {
            let is_older = usage.key_encipherment() && usage.data_encipherment();
            has(&SMART_ID_AUTHENTICATION) || (has(&ID_KP_CLIENT_AUTH) && is_older)
        }
        _ => purposes.is_none() || has(&ID_KP_CLIENT_AUTH),
    };
    match is_for_authentication {
        true => Ok(()),
        false => Err(PurposeFault::NotForAuthentication),
    }
}
