//! The code that proves to the app that a device link is the relying party's
//! own.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// What the code is made over, every text exactly as it was sent or received.
pub(super) struct AuthCodeInput<'i> {
    pub(super) scheme_name: &'i str,
    /// Empty in a choice of a certificate, as are the next and `interactions`.
    pub(super) signature_protocol: &'i str,
    /// Base64.
    pub(super) challenge_or_digest: &'i str,
    pub(super) relying_party_name: &'i str,
    pub(super) brokered_relying_party_name: &'i str,
    /// Base64.
    pub(super) interactions: &'i str,
    /// Empty for a code to scan, whatever the session was created with.
    pub(super) initial_callback_url: &'i str,
    /// The link without its code.
    pub(super) unprotected_link: &'i str,
}

impl AuthCodeInput<'_> {
    /// HMAC-SHA256 under the session's secret, base64url without padding.
    pub(super) fn auth_code(&self, session_secret: &[u8]) -> String {
        let payload = [
            self.scheme_name,
            self.signature_protocol,
            self.challenge_or_digest,
            &STANDARD.encode(self.relying_party_name),
            &STANDARD.encode(self.brokered_relying_party_name),
            self.interactions,
            self.initial_callback_url,
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
    use super::*;

    const SECRET: &str = "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=";
    const CHALLENGE: &str =
        "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==";
    const DIGEST: &str =
        "FNZFFya5wGLv9b27fZngaWrOBqle4tGwxZuDFRBdPl1RQvxJsfoqvTbjafd+8BcehMOQGvak6zlP+F8tga4bfQ==";
    const CALLBACK: &str = "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ";
    const INTERACTIONS: &str = concat!(
        r#"[{"type":"confirmationMessage","displayText200":"Longer description of the transaction context"},"#,
        r#"{"type":"displayTextAndPIN","displayText60":"Short description of the transaction context"}]"#
    );

    fn code(link: &str, session: &str, broker: &str) -> String {
        let interactions = STANDARD.encode(INTERACTIONS);
        let (signature_protocol, challenge_or_digest, interactions) = match session {
            "auth" => ("ACSP_V2", CHALLENGE, interactions.as_str()),
            "sign" => ("RAW_DIGEST_SIGNATURE", DIGEST, interactions.as_str()),
            _ => ("", "", ""),
        };
        let elapsed = if link == "QR" {
            "&elapsedSeconds=22"
        } else {
            ""
        };
        let unprotected_link = format!(
            "https://smart-id.com/device-link?deviceLinkType={link}{elapsed}&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ\
             &sessionType={session}&version=1.0&lang=eng"
        );
        let input = AuthCodeInput {
            scheme_name: "smart-id",
            signature_protocol,
            challenge_or_digest,
            relying_party_name: "DEMO",
            brokered_relying_party_name: broker,
            interactions,
            initial_callback_url: if link == "QR" { "" } else { CALLBACK },
            unprotected_link: &unprotected_link,
        };
        input.auth_code(&STANDARD.decode(SECRET).unwrap())
    }

    #[test]
    fn the_published_codes_are_made() {
        let vectors = [
            (
                "Web2App",
                "auth",
                "aegUh6gCKkXBJhhvtJqSTWB5_2W8TDQt5eZ7db6krv0",
            ),
            (
                "Web2App",
                "sign",
                "R0iNcUp8nK1nqrcVFWerXUfWMSjwDOMC6MAHKrckaH8",
            ),
            (
                "Web2App",
                "cert",
                "PI1qYa9_l6zR-v6Pkre6ycSm7S3BGiOQSe5OQlw4UJg",
            ),
            (
                "App2App",
                "auth",
                "00NRcgi4Jk7WdIwgMPlyM8wRy9KMu4C_oQvd-N6PKoo",
            ),
            (
                "App2App",
                "sign",
                "8QZ16rkBW_ffkq6osT7UH1DbUlF9gEOZevgj-A0VNbM",
            ),
            (
                "App2App",
                "cert",
                "AtayuRPP3N59wXF8Cijwjt3pQ16knW2L-5VLDTRD_KU",
            ),
            ("QR", "auth", "OY1eHaD4UYedrBwtqUbSkpa0w7ttm4FllPkCD_3wlE0"),
            ("QR", "sign", "5PZVhiNDTnt1MjLz8_YCjnNtR7p0iGevaL2G1ajfMco"),
            ("QR", "cert", "T5pDDPAjoMS0byqS-FoaWVjlubODXoCCF4XDB4HeYNo"),
        ];
        for (link, session, expected) in vectors {
            assert_eq!(
                code(link, session, "Example RP"),
                expected,
                "{link} {session}"
            );
        }
    }

    #[test]
    fn without_a_broker_its_field_stays_and_is_empty() {
        assert_eq!(
            code("QR", "auth", ""),
            "A0mHB-lPhkXuek831E3p9B0-oc7FO02_1VBztVigd70"
        );
        assert_eq!(
            code("QR", "cert", ""),
            "ucGMJnKMsStLag4RBwKN2XNCqS31yyX6AGu9oc6T2-o"
        );
    }
}
