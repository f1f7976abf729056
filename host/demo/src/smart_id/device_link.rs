//! Parsing of device links.

use parafa_eid_protocols::smart_id::{AuthCodePayload, FlowType};

use super::{config::SCHEME_NAME, session::Task};

/// A device link as a phone receives it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct ScannedLink<'a> {
    pub(super) base: &'a str,
    pub(super) flow: FlowType,
    /// Seconds since the session began, for a QR code.
    pub(super) elapsed_seconds: Option<u64>,
    pub(super) session_token: &'a str,
    pub(super) session_type: &'a str,
    auth_code: &'a str,
    /// The link without its `authCode`.
    unprotected: &'a str,
}

impl<'a> ScannedLink<'a> {
    /// Parses a link; the order of its parameters is fixed.
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
        let flow = next("deviceLinkType")
            .and_then(|value| {
                let mut flows = FlowType::OF_LINKS.into_iter();
                flows.find(|flow| flow.name() == value)
            })
            .ok_or("deviceLinkType must come first and be QR, Web2App or App2App")?;
        let elapsed_seconds = match flow {
            FlowType::Qr => Some(
                next("elapsedSeconds")
                    .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
                    .and_then(|value| value.parse().ok())
                    .ok_or("a QR code needs elapsedSeconds in the second place")?,
            ),
            _ => None,
        };
        let session_token = next("sessionToken").ok_or("sessionToken is not in its place")?;
        let session_type = next("sessionType").ok_or("sessionType is not in its place")?;
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
            flow,
            elapsed_seconds,
            session_token,
            session_type,
            auth_code,
            unprotected,
        })
    }

    /// Returns true if the link was made with this secret for the session's task and this callback.
    pub(super) fn is_authentic(&self, secret: &[u8], task: &Task, callback: &str) -> bool {
        let envelope = task.envelope();
        let payload = AuthCodePayload {
            scheme_name: SCHEME_NAME,
            task: task.of_link(),
            relying_party_name: &envelope.relying_party_name,
            brokered_relying_party_name: &envelope.brokered_name,
            initial_callback_url: callback,
            flow: self.flow,
            unprotected_link: self.unprotected,
        };
        payload.auth_code(secret) == self.auth_code
    }
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
