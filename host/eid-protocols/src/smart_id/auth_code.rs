//! The code that proves to the app that a device link is the relying party's
//! own (`authcode.html`).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{ACSP_V2, FlowType, RAW_DIGEST_SIGNATURE};

/// The request to the person in a device-link session, each text exactly as it was sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SessionTask<'a> {
    /// An authentication.
    Authentication {
        /// Base64.
        rp_challenge: &'a str,
        /// Base64.
        interactions: &'a str,
    },
    /// A signature on a document.
    Signature {
        /// Base64.
        digest: &'a str,
        /// Base64.
        interactions: &'a str,
    },
    /// A choice of a certificate.
    CertificateChoice,
}

impl<'a> SessionTask<'a> {
    /// `sessionType` of links.
    #[must_use]
    pub fn session_type(self) -> &'static str {
        match self {
            Self::Authentication { .. } => "auth",
            Self::Signature { .. } => "sign",
            Self::CertificateChoice => "cert",
        }
    }

    /// Signature protocol, challenge or digest, interactions.
    fn fields(self) -> [&'a str; 3] {
        match self {
            Self::Authentication {
                rp_challenge,
                interactions,
            } => [ACSP_V2, rp_challenge, interactions],
            Self::Signature {
                digest,
                interactions,
            } => [RAW_DIGEST_SIGNATURE, digest, interactions],
            Self::CertificateChoice => [""; 3],
        }
    }
}

/// Data authenticated by a link's code, each text exactly as it was sent or received.
#[derive(Clone, Copy, Debug)]
pub struct AuthCodePayload<'a> {
    /// Scheme name of the environment.
    pub scheme_name: &'a str,
    /// The request to the person.
    pub task: SessionTask<'a>,
    /// Name in the request.
    pub relying_party_name: &'a str,
    /// Name in a broker's request; otherwise empty.
    pub brokered_relying_party_name: &'a str,
    /// Callback of the request, if it had one; unused for a QR code.
    pub initial_callback_url: &'a str,
    /// The kind of link.
    pub flow: FlowType,
    /// The link without its code.
    pub unprotected_link: &'a str,
}

impl AuthCodePayload<'_> {
    /// `authCode`: HMAC-SHA256 under the session's secret, base64url without
    /// padding.
    #[must_use]
    pub fn auth_code(&self, session_secret: &[u8]) -> String {
        let [protocol, challenge_or_digest, interactions] = self.task.fields();
        let payload = [
            self.scheme_name,
            protocol,
            challenge_or_digest,
            &STANDARD.encode(self.relying_party_name),
            &STANDARD.encode(self.brokered_relying_party_name),
            interactions,
            self.flow.returns_to(self.initial_callback_url),
            self.unprotected_link,
        ]
        .join("|");
        let mut mac =
            Hmac::<Sha256>::new_from_slice(session_secret).expect("HMAC takes a key of any length");
        mac.update(payload.as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::published::{
        AUTHENTICATION, BROKERED, CALLBACK, RELYING_PARTY, SCHEME, SIGNATURE, session_secret,
    };
    use super::*;

    const CHOICE: SessionTask<'_> = SessionTask::CertificateChoice;

    fn code(flow: FlowType, task: SessionTask<'_>, brokered_relying_party_name: &str) -> String {
        let elapsed = if flow == FlowType::Qr {
            "&elapsedSeconds=22"
        } else {
            ""
        };
        let unprotected_link = format!(
            "https://smart-id.com/device-link?deviceLinkType={}{elapsed}&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ\
             &sessionType={}&version=1.0&lang=eng",
            flow.name(),
            task.session_type(),
        );
        let payload = AuthCodePayload {
            scheme_name: SCHEME,
            task,
            relying_party_name: RELYING_PARTY,
            brokered_relying_party_name,
            initial_callback_url: CALLBACK,
            flow,
            unprotected_link: &unprotected_link,
        };
        payload.auth_code(&session_secret())
    }

    #[test]
    #[rustfmt::skip]
    fn the_published_codes_are_made() {
        use FlowType::{App2App, Qr, Web2App};
        for (flow, task, published) in [
            (Web2App, AUTHENTICATION, "aegUh6gCKkXBJhhvtJqSTWB5_2W8TDQt5eZ7db6krv0"),
            (Web2App, SIGNATURE, "R0iNcUp8nK1nqrcVFWerXUfWMSjwDOMC6MAHKrckaH8"),
            (Web2App, CHOICE, "PI1qYa9_l6zR-v6Pkre6ycSm7S3BGiOQSe5OQlw4UJg"),
            (App2App, AUTHENTICATION, "00NRcgi4Jk7WdIwgMPlyM8wRy9KMu4C_oQvd-N6PKoo"),
            (App2App, SIGNATURE, "8QZ16rkBW_ffkq6osT7UH1DbUlF9gEOZevgj-A0VNbM"),
            (App2App, CHOICE, "AtayuRPP3N59wXF8Cijwjt3pQ16knW2L-5VLDTRD_KU"),
            (Qr, AUTHENTICATION, "OY1eHaD4UYedrBwtqUbSkpa0w7ttm4FllPkCD_3wlE0"),
            (Qr, SIGNATURE, "5PZVhiNDTnt1MjLz8_YCjnNtR7p0iGevaL2G1ajfMco"),
            (Qr, CHOICE, "T5pDDPAjoMS0byqS-FoaWVjlubODXoCCF4XDB4HeYNo"),
        ] {
            assert_eq!(code(flow, task, BROKERED), published, "{flow:?} {task:?}");
        }
    }

    /// Not published: the published example without its broker.
    #[test]
    fn without_a_broker_its_field_stays_and_is_empty() {
        assert_eq!(
            code(FlowType::Qr, AUTHENTICATION, ""),
            "A0mHB-lPhkXuek831E3p9B0-oc7FO02_1VBztVigd70"
        );
        assert_eq!(
            code(FlowType::Qr, CHOICE, ""),
            "ucGMJnKMsStLag4RBwKN2XNCqS31yyX6AGu9oc6T2-o"
        );
    }
}
