//! URLs to which the app returns.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use url::Url;

/// Longest callback, in characters.
const LONGEST_CALLBACK: usize = 1800;
/// Query parameter of a callback that only this session's browser knows.
const CALLBACK_VALUE: &str = "value";

/// URL to which the app returns the person, with an unguessable value.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CallbackUrl {
    url: String,
    value: String,
}

impl CallbackUrl {
    /// `random` must be unique to this session. Plain http is only for a service on the same
    /// machine.
    ///
    /// # Errors
    /// [`InvalidCallbackUrl`] if the service would not accept it.
    pub fn new(base: &Url, random: [u8; 16]) -> Result<Self, InvalidCallbackUrl> {
        if !is_web_address(base) {
            return Err(InvalidCallbackUrl::NotHttps);
        }
        let value = URL_SAFE_NO_PAD.encode(random);
        let mut url = base.clone();
        url.query_pairs_mut().append_pair(CALLBACK_VALUE, &value);
        let url = String::from(url);
        if url.contains(['|', '#']) {
            return Err(InvalidCallbackUrl::ReservedCharacter);
        }
        if url.len() > LONGEST_CALLBACK {
            return Err(InvalidCallbackUrl::TooLong { length: url.len() });
        }
        Ok(Self { url, value })
    }

    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }

    pub(super) fn value_is(&self, value: &str) -> subtle::Choice {
        self.value.as_bytes().ct_eq(value.as_bytes())
    }
}

/// Returns true if a URL is https, or http on the loopback interface.
pub(super) fn is_web_address(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// An address that the app cannot return to.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidCallbackUrl {
    /// Only https is accepted.
    #[error("the callback is not an https address")]
    NotHttps,
    /// `|` separates the fields of the authenticated data, `#` begins a fragment.
    #[error("the callback has a fragment or a vertical bar")]
    ReservedCharacter,
    /// Longer than the service accepts.
    #[error("the callback has {length} characters, more than {LONGEST_CALLBACK}")]
    TooLong {
        /// Its length.
        length: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callback_carries_a_value_of_its_own() {
        let base = Url::parse("https://sign.example/c/abc/callback").unwrap();
        let callback = CallbackUrl::new(&base, [0xFF; 16]).unwrap();
        assert_eq!(
            callback.as_str(),
            "https://sign.example/c/abc/callback?value=_____________________w"
        );
        for (base, error) in [
            ("http://sign.example/", InvalidCallbackUrl::NotHttps),
            ("ftp://localhost/", InvalidCallbackUrl::NotHttps),
            (
                "https://sign.example/#a",
                InvalidCallbackUrl::ReservedCharacter,
            ),
            (
                "https://sign.example/?a=b|c",
                InvalidCallbackUrl::ReservedCharacter,
            ),
        ] {
            assert_eq!(
                CallbackUrl::new(&Url::parse(base).unwrap(), [0; 16]),
                Err(error),
                "{base}"
            );
        }
        let long = Url::parse(&format!("https://sign.example/{}", "a".repeat(1800))).unwrap();
        assert!(matches!(
            CallbackUrl::new(&long, [0; 16]),
            Err(InvalidCallbackUrl::TooLong { .. })
        ));
    }
}
