//! The authorities and people that the tests share.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parafa_trust::{
    AuthenticationCheck, AuthorityKind, OcspClient, OcspPolicy, Purpose, SignerCheck, TrustAnchors,
    TrustEntry,
};

use crate::authority::{Identity, OCSP_SIGNING, TIME_STAMPING, Template};
use crate::port::{FakePort, both, random};

pub const OCSP_URL: &str = "http://ocsp.example.com/";
/// The extension with the addresses of responders and issuers.
pub const ACCESS: &str = "1.3.6.1.5.5.7.1.1";
pub const METHOD: &str = "smart_id";

/// A root, an issuing authority below it, and its responder and time-stamper.
pub struct World {
    pub root: Identity,
    pub issuing: Identity,
    pub responder: Identity,
    pub stamper: Identity,
}

impl World {
    pub fn new() -> Self {
        let root = Template::authority("Test Root").self_signed();
        let issuing = Template::authority("Test Issuing")
            .serial(2)
            .issued_by(&root);
        let responder = responder_template().issued_by(&issuing);
        let stamper = stamper_template().issued_by(&issuing);
        Self {
            root,
            issuing,
            responder,
            stamper,
        }
    }

    /// A qualified signer who may sign.
    pub fn signer(&self) -> Identity {
        signer_template().issued_by(&self.issuing)
    }

    /// The issuing authority as the anchor for everything.
    pub fn entry(&self) -> TrustEntry {
        TrustEntry::new(
            self.issuing.certificate(),
            AuthorityKind::Issuing,
            &[Purpose::Signing, Purpose::Timestamping],
        )
    }

    pub fn anchors(&self) -> Arc<TrustAnchors> {
        Arc::new(TrustAnchors::new(vec![self.entry()]))
    }
}

pub fn signer_template() -> Template {
    Template::signer("PNOLT-50001018865")
        .serial(100)
        .ocsp_url(OCSP_URL)
}

pub fn responder_template() -> Template {
    Template::new("Test OCSP")
        .serial(3)
        .extended_key_usage(false, &[OCSP_SIGNING])
}

pub fn stamper_template() -> Template {
    Template::new("Test TSU")
        .serial(4)
        .extended_key_usage(true, &[TIME_STAMPING])
}

pub fn now() -> Timestamp {
    "2026-11-21T16:00:00Z".parse().expect("a time")
}

pub fn ocsp_client(port: FakePort) -> OcspClient {
    OcspClient::new(both(Arc::new(port)), random(), OcspPolicy::default())
}

pub fn signer_check(anchors: &Arc<TrustAnchors>, port: FakePort) -> SignerCheck {
    SignerCheck::new(Arc::clone(anchors), ocsp_client(port))
}

pub fn authentication_check(anchors: Arc<TrustAnchors>, port: FakePort) -> AuthenticationCheck {
    AuthenticationCheck::new(anchors, ocsp_client(port), Duration::from_secs(15 * 60))
}
