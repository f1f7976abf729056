//! Links that bring a session to a person's app.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_eid_protocols::smart_id::{self as protocol, AuthCodePayload, SessionTask};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use url::Url;
use zeroize::Zeroizing;

use super::callback::{CallbackUrl, is_web_address};
use super::wire::{AskedAuthentication, DeviceLinkAnswer};
use super::{CertificateSession, FlowType, InvalidAnswer, SmartIdConfig};

/// Length of a session's token, in characters. With the longest base URL the link still fits a QR
/// code.
const TOKEN_LENGTH: RangeInclusive<usize> = 24..=256;
/// Length of a session's secret, in bytes.
const SECRET_LENGTH: RangeInclusive<usize> = 16..=128;
/// Maximum length of the base URL of links, in characters.
const LONGEST_BASE: usize = 256;

/// Way in which the person opens the app.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LinkKind {
    /// A QR code, made anew every second.
    Qr {
        /// Since the session was created.
        elapsed: Duration,
    },
    /// A link in a browser on the same device; only with a callback.
    Web2App,
    /// A link in another app; only with a callback.
    App2App,
}

/// A certificate choice, or an authentication, that waits for a person to follow its link.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct DeviceLinkSession {
    /// Session to poll.
    pub session: CertificateSession,
    token: String,
    secret: SessionSecret,
    link_base: String,
    callback: Option<CallbackUrl>,
    /// `None` for a certificate choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<AskedAuthentication>,
}

impl DeviceLinkSession {
    pub(super) fn new(
        answer: DeviceLinkAnswer,
        callback: Option<CallbackUrl>,
        authentication: Option<AskedAuthentication>,
    ) -> Result<Self, InvalidAnswer> {
        let DeviceLinkAnswer {
            session_id,
            session_token,
            session_secret,
            device_link_base,
        } = answer;
        let token_is_sound = TOKEN_LENGTH.contains(&session_token.len())
            && session_token
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric());
        if !token_is_sound {
            return Err(InvalidAnswer::Member("sessionToken"));
        }
        if !is_base(&device_link_base) {
            return Err(InvalidAnswer::Member("deviceLinkBase"));
        }
        let mut flows = vec![FlowType::Qr];
        if callback.is_some() {
            flows.extend([FlowType::Web2App, FlowType::App2App]);
        }
        Ok(Self {
            session: CertificateSession {
                id: session_id,
                flows,
            },
            token: session_token,
            secret: SessionSecret::decode(&session_secret)
                .ok_or(InvalidAnswer::Member("sessionSecret"))?,
            link_base: device_link_base,
            callback,
            authentication,
        })
    }

    /// `language` is an ISO 639-2 code, for the page shown if there is no app.
    pub(super) fn link(&self, kind: LinkKind, language: &str, config: &SmartIdConfig) -> String {
        let (flow, elapsed) = match kind {
            LinkKind::Qr { elapsed } => (
                FlowType::Qr,
                format!("&elapsedSeconds={}", elapsed.as_secs()),
            ),
            LinkKind::Web2App => (FlowType::Web2App, String::new()),
            LinkKind::App2App => (FlowType::App2App, String::new()),
        };
        let asked = self.authentication.as_ref();
        let task = asked.map_or(SessionTask::CertificateChoice, |asked| {
            SessionTask::Authentication {
                rp_challenge: &asked.rp_challenge,
                interactions: &asked.interactions,
            }
        });
        let brokered = asked.and_then(|asked| asked.brokered.as_deref());
        let unprotected_link = format!(
            "{}?deviceLinkType={}{elapsed}&sessionToken={}&sessionType={}&version=1.0&lang={language}",
            self.link_base,
            flow.name(),
            self.token,
            task.session_type(),
        );
        let payload = AuthCodePayload {
            scheme_name: &config.scheme_name,
            task,
            relying_party_name: &config.relying_party_name,
            brokered_relying_party_name: brokered.unwrap_or_default(),
            initial_callback_url: self.callback().unwrap_or_default(),
            flow,
            unprotected_link: &unprotected_link,
        };
        let auth_code = payload.auth_code(self.secret.expose());
        format!("{unprotected_link}&authCode={auth_code}")
    }

    /// URL to which the app returns if it was opened on the same device.
    pub(super) fn callback(&self) -> Option<&str> {
        self.callback.as_ref().map(CallbackUrl::as_str)
    }

    /// Returns true if the link can be followed on the device that shows the page.
    #[must_use]
    pub fn has_callback(&self) -> bool {
        self.callback.is_some()
    }

    /// Checks that the app came back to this session's callback: `value` is the parameter of that
    /// name, `session_secret_digest` the one that the app added. Call it once; then the callback is
    /// used up.
    #[must_use]
    pub fn admits_callback(&self, value: &str, session_secret_digest: &str) -> bool {
        let digest = protocol::session_secret_digest(self.secret.expose());
        let digest_is_right = digest.as_bytes().ct_eq(session_secret_digest.as_bytes());
        let value_is_right = self
            .callback
            .as_ref()
            .map_or(0.into(), |callback| callback.value_is(value));
        (digest_is_right & value_is_right).into()
    }
}

/// Returns true if links may begin with this text. Pages show them to be followed, so only web
/// schemes are allowed.
fn is_base(text: &str) -> bool {
    text.len() <= LONGEST_BASE
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && !text.contains(['|', '?', '#'])
        && Url::parse(text).is_ok_and(|url| is_web_address(&url))
}

/// Key of a session's links. Keep it encrypted; `Debug` does not show it, and it is wiped on drop.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionSecret(Zeroizing<Vec<u8>>);

impl SessionSecret {
    fn decode(base64: &str) -> Option<Self> {
        let bytes = Zeroizing::new(STANDARD.decode(base64).ok()?);
        SECRET_LENGTH.contains(&bytes.len()).then_some(Self(bytes))
    }

    fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<String> for SessionSecret {
    type Error = InvalidAnswer;

    fn try_from(base64: String) -> Result<Self, Self::Error> {
        Self::decode(&base64).ok_or(InvalidAnswer::Member("sessionSecret"))
    }
}

impl From<SessionSecret> for String {
    fn from(secret: SessionSecret) -> Self {
        STANDARD.encode(secret.expose())
    }
}

impl fmt::Debug for SessionSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use uuid::Uuid;

    use super::*;
    use crate::smart_id::SessionId;

    const CALLBACK: &str = "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ";

    fn answer() -> DeviceLinkAnswer {
        DeviceLinkAnswer {
            session_id: SessionId(Uuid::nil()),
            session_token: "wGIrqveE6AuGDATZKmR1mtAZ".to_owned(),
            session_secret: "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=".to_owned(),
            device_link_base: "https://smart-id.com/device-link".to_owned(),
        }
    }

    fn session() -> DeviceLinkSession {
        let base = Url::parse("https://rp.example.com/callback-url").unwrap();
        let random = URL_SAFE_NO_PAD.decode("RrKjjT4aggzu27YBddX1bQ").unwrap();
        let callback = CallbackUrl::new(&base, random.try_into().unwrap()).unwrap();
        assert_eq!(callback.as_str(), CALLBACK);
        DeviceLinkSession::new(answer(), Some(callback), None).unwrap()
    }

    fn config() -> SmartIdConfig {
        SmartIdConfig::new(
            Url::parse("https://rp-api.smart-id.com").unwrap(),
            Uuid::nil(),
            "DEMO",
            "smart-id",
        )
    }

    /// The published example of an authentication.
    fn authentication() -> DeviceLinkSession {
        let interactions = concat!(
            r#"[{"type":"confirmationMessage","displayText200":"Longer description of the transaction context"},"#,
            r#"{"type":"displayTextAndPIN","displayText60":"Short description of the transaction context"}]"#
        );
        DeviceLinkSession {
            authentication: Some(AskedAuthentication {
                rp_challenge: "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==".to_owned(),
                interactions: STANDARD.encode(interactions),
                brokered: Some("Example RP".to_owned()),
            }),
            ..session()
        }
    }

    #[test]
    fn the_published_links_are_built() {
        let prefix = "https://smart-id.com/device-link?deviceLinkType=";
        let scanned = LinkKind::Qr {
            elapsed: Duration::from_millis(22_900),
        };
        for (session, session_type, kind, name, code) in [
            (
                authentication(),
                "auth",
                LinkKind::Web2App,
                "Web2App",
                "aegUh6gCKkXBJhhvtJqSTWB5_2W8TDQt5eZ7db6krv0",
            ),
            (
                authentication(),
                "auth",
                LinkKind::App2App,
                "App2App",
                "00NRcgi4Jk7WdIwgMPlyM8wRy9KMu4C_oQvd-N6PKoo",
            ),
            (
                authentication(),
                "auth",
                scanned,
                "QR&elapsedSeconds=22",
                "OY1eHaD4UYedrBwtqUbSkpa0w7ttm4FllPkCD_3wlE0",
            ),
            (
                session(),
                "cert",
                scanned,
                "QR&elapsedSeconds=22",
                "ucGMJnKMsStLag4RBwKN2XNCqS31yyX6AGu9oc6T2-o",
            ),
        ] {
            let rest = format!(
                "&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ&sessionType={session_type}&version=1.0&lang=eng&authCode="
            );
            assert_eq!(
                session.link(kind, "eng", &config()),
                format!("{prefix}{name}{rest}{code}")
            );
        }
    }

    #[test]
    fn only_the_sessions_own_callback_is_admitted() {
        let digest = "U4CKK13H1XFiyBofev9asqrzIrY5_Gszi_nL_zDKkBc";
        let session = session();
        assert!(session.admits_callback("RrKjjT4aggzu27YBddX1bQ", digest));
        assert!(!session.admits_callback("RrKjjT4aggzu27YBddX1bR", digest));
        assert!(!session.admits_callback(
            "RrKjjT4aggzu27YBddX1bQ",
            "U4CKK13H1XFiyBofev9asqrzIrY5_Gszi_nL_zDKkBd"
        ));
        assert!(!session.admits_callback("", ""));
        let without_callback = DeviceLinkSession::new(answer(), None, None).unwrap();
        assert!(!without_callback.admits_callback("", digest));
    }

    #[test]
    fn a_session_survives_being_stored_and_hides_its_secret() {
        let session = session();
        let stored = serde_json::to_string(&session).unwrap();
        assert_eq!(
            serde_json::from_str::<DeviceLinkSession>(&stored).unwrap(),
            session
        );
        assert!(format!("{session:?}").contains("SessionSecret(..)"));
    }

    #[test]
    fn without_a_callback_only_scanning_is_offered() {
        let session = DeviceLinkSession::new(answer(), None, None).unwrap();
        assert_eq!(session.session.flows, [FlowType::Qr]);
    }

    fn with_token(token: &str) -> DeviceLinkAnswer {
        DeviceLinkAnswer {
            session_token: token.to_owned(),
            ..answer()
        }
    }

    fn with_secret(secret: &str) -> DeviceLinkAnswer {
        DeviceLinkAnswer {
            session_secret: secret.to_owned(),
            ..answer()
        }
    }

    fn with_base(base: &str) -> DeviceLinkAnswer {
        DeviceLinkAnswer {
            device_link_base: base.to_owned(),
            ..answer()
        }
    }

    #[test]
    fn an_answer_that_breaks_the_links_rules_is_refused() {
        let long_base = format!("https://smart-id.com/{}", "a".repeat(236));
        for (answer, member) in [
            (with_token("wGIrqveE6AuGDATZKmR1m|AZ"), "sessionToken"),
            (with_token("wGIrqveE6AuGDATZKmR1mtA"), "sessionToken"),
            (with_token(&"a".repeat(257)), "sessionToken"),
            (with_secret("c2hvcnQ="), "sessionSecret"),
            (with_secret(&"A".repeat(176)), "sessionSecret"),
            (with_base("https://smart-id.com/?a=b"), "deviceLinkBase"),
            (with_base("https://smart-id.com/a\n"), "deviceLinkBase"),
            (with_base(&long_base), "deviceLinkBase"),
            (with_base("http://smart-id.com/"), "deviceLinkBase"),
            (with_base("javascript://x/%0aalert(1)"), "deviceLinkBase"),
            (
                with_base("javascript://localhost/%0aalert(1)"),
                "deviceLinkBase",
            ),
            (with_base("device-link"), "deviceLinkBase"),
        ] {
            let refused = DeviceLinkSession::new(answer, None, None);
            assert_eq!(refused, Err(InvalidAnswer::Member(member)));
        }
    }

    #[test]
    fn the_longest_link_of_all_fits_into_a_code_to_scan() {
        /// Most bytes of a QR code with error correction L (ISO/IEC 18004,
        /// table 7).
        const MOST_BYTES: usize = 2953;

        let answer = DeviceLinkAnswer {
            session_token: "a".repeat(256),
            session_secret: STANDARD.encode([7; 128]),
            device_link_base: format!("https://smart-id.com/{}", "a".repeat(235)),
            ..answer()
        };
        let session = DeviceLinkSession::new(answer, None, None).unwrap();
        let elapsed = Duration::from_secs(u64::MAX);

        let link = session.link(LinkKind::Qr { elapsed }, "lit", &config());

        assert!(link.len() <= MOST_BYTES, "{}", link.len());
    }

    #[test]
    fn a_service_on_the_same_machine_may_do_without_tls() {
        for base in [
            "http://127.0.0.1:20000/device-link",
            "http://[::1]/",
            "http://localhost/",
        ] {
            assert!(DeviceLinkSession::new(with_base(base), None, None).is_ok());
        }
    }
}
