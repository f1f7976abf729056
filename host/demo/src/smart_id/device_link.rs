//! Device links and the code that protects them.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

use super::config::SCHEME_NAME;

/// How a device link reaches the app.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum LinkType {
    Qr,
    Web2App,
    App2App,
}

/// `sessionType` of a device link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SessionType {
    Signature,
    CertificateChoice,
    Authentication,
}

/// What a session's `authCode` protects beside the link itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Protected<'a> {
    /// Empty for a choice of certificate, as are the next and the interactions.
    pub(super) signature_protocol: &'a str,
    /// Digest or challenge, base64 as sent.
    pub(super) digest: &'a str,
    pub(super) relying_party_name: &'a str,
    pub(super) brokered_name: &'a str,
    /// Base64 as sent.
    pub(super) interactions: &'a str,
    /// Empty for a QR code and without a callback.
    pub(super) callback: &'a str,
}

/// A device link as a phone receives it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct ScannedLink<'a> {
    pub(super) base: &'a str,
    pub(super) link_type: LinkType,
    /// Seconds since the session began, for a QR code.
    pub(super) elapsed_seconds: Option<u64>,
    pub(super) session_token: &'a str,
    pub(super) session_type: SessionType,
    auth_code: &'a str,
    /// The link without its `authCode`.
    unprotected: &'a str,
}

impl LinkType {
    pub(super) const NAMES: [(&'static str, Self); 3] = [
        ("QR", Self::Qr),
        ("Web2App", Self::Web2App),
        ("App2App", Self::App2App),
    ];

    /// The name in links, requests and answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Qr => "QR",
            Self::Web2App => "Web2App",
            Self::App2App => "App2App",
        }
    }
}

impl<'a> ScannedLink<'a> {
    /// Takes a link apart; the order of its parameters is fixed.
    pub(super) fn parse(link: &'a str) -> Result<Self, &'static str> {
        let (unprotected, auth_code) = link
            .rsplit_once("&authCode=")
            .ok_or("the link has no authCode at its end")?;
        let (base, query) = unprotected
            .split_once('?')
            .ok_or("the link has no parameters")?;
        let mut parameters = query.split('&');
        let mut next = |name: &str| {
            parameters
                .next()
                .and_then(|parameter| parameter.strip_prefix(name)?.strip_prefix('='))
        };
        let link_type = next("deviceLinkType")
            .and_then(|value| LinkType::NAMES.iter().find(|(name, _)| *name == value))
            .map(|(_, link_type)| *link_type)
            .ok_or("deviceLinkType must come first and be QR, Web2App or App2App")?;
        let elapsed_seconds = match link_type {
            LinkType::Qr => Some(
                next("elapsedSeconds")
                    .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
                    .and_then(|value| value.parse().ok())
                    .ok_or("a QR code needs elapsedSeconds in the second place")?,
            ),
            LinkType::Web2App | LinkType::App2App => None,
        };
        let session_token = next("sessionToken").ok_or("sessionToken is not in its place")?;
        let session_type = match next("sessionType") {
            Some("sign") => SessionType::Signature,
            Some("cert") => SessionType::CertificateChoice,
            Some("auth") => SessionType::Authentication,
            _ => return Err("sessionType is not in its place, or unknown"),
        };
        if next("version") != Some("1.0") {
            return Err("version is not in its place, or not 1.0");
        }
        next("lang")
            .filter(|lang| lang.len() == 3 && lang.bytes().all(|byte| byte.is_ascii_lowercase()))
            .ok_or("lang is not in its place, or no ISO 639-2 code")?;
        if parameters.next().is_some() {
            return Err("the link has more parameters than it may");
        }
        Ok(Self {
            base,
            link_type,
            elapsed_seconds,
            session_token,
            session_type,
            auth_code,
            unprotected,
        })
    }

    /// Whether the link was made with this secret over these values.
    pub(super) fn is_authentic(&self, secret: &[u8], protected: Protected<'_>) -> bool {
        let Ok(code) = URL_SAFE_NO_PAD.decode(self.auth_code) else {
            return false;
        };
        let payload = protected.payload(SCHEME_NAME, self.unprotected);
        hmac(secret, &payload).verify_slice(&code).is_ok()
    }
}

impl Protected<'_> {
    fn payload(&self, scheme: &str, unprotected: &str) -> String {
        let name = STANDARD.encode(self.relying_party_name);
        let broker = STANDARD.encode(self.brokered_name);
        [
            scheme,
            self.signature_protocol,
            self.digest,
            &name,
            &broker,
            self.interactions,
            self.callback,
            unprotected,
        ]
        .join("|")
    }
}

/// `sessionSecretDigest` that a callback brings.
pub(super) fn session_secret_digest(secret: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret))
}

/// `userChallenge` of the `userChallengeVerifier` that a callback brings: of its
/// text.
pub(super) fn user_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

fn hmac(secret: &[u8], payload: &str) -> Hmac<Sha256> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    hmac.update(payload.as_bytes());
    hmac
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(link in ".*", query in "[a-zA-Z0-9=&?.]*") {
            ScannedLink::parse(&link).ok();
            ScannedLink::parse(&format!("http://a?deviceLinkType={query}&authCode=a")).ok();
        }
    }

    const SECRET: &str = "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=";
    const CHALLENGE: &str =
        "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==";
    const DIGEST: &str =
        "FNZFFya5wGLv9b27fZngaWrOBqle4tGwxZuDFRBdPl1RQvxJsfoqvTbjafd+8BcehMOQGvak6zlP+F8tga4bfQ==";
    const CALLBACK: &str = "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ";
    const INTERACTIONS: &str = r#"[{"type":"confirmationMessage","displayText200":"Longer description of the transaction context"},{"type":"displayTextAndPIN","displayText60":"Short description of the transaction context"}]"#;

    /// The code over the published example's values.
    fn example(link_type: &str, session_type: &str, broker: &str) -> String {
        let elapsed = if link_type == "QR" {
            "&elapsedSeconds=22"
        } else {
            ""
        };
        let unprotected = format!(
            "https://smart-id.com/device-link?deviceLinkType={link_type}{elapsed}&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ&sessionType={session_type}&version=1.0&lang=eng"
        );
        let interactions = STANDARD.encode(INTERACTIONS);
        let (signature_protocol, digest, interactions) = match session_type {
            "auth" => ("ACSP_V2", CHALLENGE, interactions.as_str()),
            "sign" => ("RAW_DIGEST_SIGNATURE", DIGEST, interactions.as_str()),
            _ => ("", "", ""),
        };
        let protected = Protected {
            signature_protocol,
            digest,
            relying_party_name: "DEMO",
            brokered_name: broker,
            interactions,
            callback: if link_type == "QR" { "" } else { CALLBACK },
        };
        let payload = protected.payload("smart-id", &unprotected);
        let secret = STANDARD.decode(SECRET).unwrap();
        URL_SAFE_NO_PAD.encode(hmac(&secret, &payload).finalize().into_bytes())
    }

    #[test]
    fn the_published_codes_come_out() {
        for (link_type, session_type, code) in [
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
        ] {
            let made = example(link_type, session_type, "Example RP");
            assert_eq!(made, code, "{link_type} {session_type}");
        }
    }

    #[test]
    fn without_a_broker_its_field_is_empty() {
        let auth = example("QR", "auth", "");
        assert_eq!(auth, "A0mHB-lPhkXuek831E3p9B0-oc7FO02_1VBztVigd70");
        let choice = example("QR", "cert", "");
        assert_eq!(choice, "ucGMJnKMsStLag4RBwKN2XNCqS31yyX6AGu9oc6T2-o");
    }

    #[test]
    fn the_published_digest_of_a_secret_comes_out() {
        let secret = STANDARD.decode(SECRET).unwrap();
        let digest = session_secret_digest(&secret);
        assert_eq!(digest, "U4CKK13H1XFiyBofev9asqrzIrY5_Gszi_nL_zDKkBc");
    }

    #[test]
    fn the_published_challenge_of_a_verifier_comes_out() {
        assert_eq!(
            user_challenge("XtPfaGa8JnGtYrJjboooUf0KfY9sMEHrWFpSQrsUv9c"),
            "GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00"
        );
    }

    #[test]
    fn a_link_is_taken_apart_in_its_fixed_order() {
        let link = "http://a/link?deviceLinkType=QR&elapsedSeconds=3&sessionToken=T&sessionType=cert&version=1.0&lang=lit&authCode=abc";
        let scanned = ScannedLink::parse(link).unwrap();
        assert_eq!(scanned.base, "http://a/link");
        assert_eq!(scanned.elapsed_seconds, Some(3));
        assert_eq!(scanned.session_token, "T");
        for broken in [
            link.replace("&lang=lit", ""),
            link.replace("1.0", "1.1"),
            link.replace("elapsedSeconds=3", "elapsedSeconds=+3"),
            link.replace(
                "deviceLinkType=QR&elapsedSeconds=3",
                "elapsedSeconds=3&deviceLinkType=QR",
            ),
            link.replace("&lang=lit", "&lang=lt"),
            link.replace("&lang=lit", "&lang=lit&more=1"),
            link.replace("QR", "qr"),
        ] {
            assert!(ScannedLink::parse(&broken).is_err(), "{broken}");
        }
    }
}
