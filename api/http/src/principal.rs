//! Callers.

use std::fmt;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::problem::ProblemType;

/// Caller of an API.
pub trait Principal: Send + Sync + 'static {
    /// Id of the key: rates and idempotency keys are counted by it.
    fn key_id(&self) -> Uuid;

    /// Returns true if the caller may make such calls at all, whatever their subject.
    fn may(&self, access: Access) -> bool;

    /// Returns true if calls may come from an address, or from an unknown one. A call from
    /// elsewhere is answered like one with an invalid key.
    fn may_call_from(&self, _address: Option<IpAddr>) -> bool {
        true
    }
}

/// Effect of a request on the caller's records, which decides the rate it counts against.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Access {
    /// `GET` and `HEAD`.
    Read,
    /// All other methods.
    Write,
}

impl Access {
    /// Access of a request's method.
    #[must_use]
    pub fn of(method: &Method) -> Self {
        match *method {
            Method::GET | Method::HEAD => Self::Read,
            _ => Self::Write,
        }
    }
}

/// Content of a request's `Authorization` header.
#[derive(Debug)]
pub enum Credentials {
    /// A bearer token (RFC 6750, 2.1), such as an API key.
    Bearer(Secret),
    /// A user id and a password (RFC 7617, 2).
    Basic {
        /// Contains no colon.
        user: String,
        /// The part after the first colon.
        password: Secret,
    },
}

/// A secret as it was sent; not shown by `Debug`.
pub struct Secret(String);

impl Secret {
    /// Its text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Credentials {
    /// Credentials of a request, if it has exactly one such header of a known scheme.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next()?.to_str().ok()?;
        let (scheme, value) = value.split_once(' ')?;
        let value = value.trim_matches(' ');
        if values.next().is_some() || value.is_empty() {
            return None;
        }
        if scheme.eq_ignore_ascii_case("bearer") {
            return Some(Self::Bearer(Secret(value.to_owned())));
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let pair = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
        let (user, password) = pair.split_once(':')?;
        Some(Self::Basic {
            user: user.to_owned(),
            password: Secret(password.to_owned()),
        })
    }
}

/// Authentication of callers, with a sentence on what they send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Security {
    /// RFC 6750.
    Bearer(&'static str),
    /// RFC 7617.
    Basic(&'static str),
}

/// Credentials that some operations of an API require instead of the usual ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Credential {
    /// Name in the description.
    pub name: &'static str,
    /// Security scheme.
    pub security: Security,
    /// Refusal of a caller without them: a 401.
    pub refusal: ProblemType,
}

impl Security {
    /// Returns true if credentials are of this scheme.
    pub(crate) fn is_of(self, credentials: &Credentials) -> bool {
        matches!(
            (self, credentials),
            (Self::Bearer(_), Credentials::Bearer(_)) | (Self::Basic(_), Credentials::Basic { .. })
        )
    }

    /// The scheme (OpenAPI 3.1.1, 4.8.27).
    pub(crate) fn scheme(self) -> Value {
        let (scheme, description) = match self {
            Self::Bearer(description) => ("bearer", description),
            Self::Basic(description) => ("basic", description),
        };
        json!({"type": "http", "scheme": scheme, "description": description})
    }

    /// The scheme's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bearer(_) => "Bearer",
            Self::Basic(_) => "Basic",
        }
    }

    /// The challenge of a refusal (RFC 9110, 11.6.1; RFC 7617, 2).
    pub(crate) fn challenge(self) -> &'static str {
        match self {
            Self::Bearer(_) => "Bearer",
            Self::Basic(_) => r#"Basic realm="parafa""#,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn credentials_of(values: &[&'static str]) -> Option<Credentials> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        Credentials::of(&headers)
    }

    #[test]
    fn the_scheme_is_read_in_any_case() {
        for value in ["Bearer tsk_test_1", "bearer  tsk_test_1"] {
            let credentials = credentials_of(&[value]);
            assert!(
                matches!(credentials, Some(Credentials::Bearer(key)) if key.expose() == "tsk_test_1")
            );
        }
    }

    #[test]
    fn a_user_and_a_password_are_parted_at_the_first_colon() {
        let credentials = credentials_of(&["Basic a2V5OnNlOmNyZXQ="]);
        let Some(Credentials::Basic { user, password }) = credentials else {
            panic!("they are Basic credentials");
        };
        assert_eq!((user.as_str(), password.expose()), ("key", "se:cret"));
    }

    #[test]
    fn anything_but_one_header_of_a_known_scheme_is_none() {
        for values in [
            &[][..],
            &["Bearer"],
            &["Bearer "],
            &["Basic YTpi!"],
            &["Basic YQ=="],
            &["Digest YTpi"],
            &["tsk_test_1"],
            &["Bearer a", "Bearer b"],
        ] {
            assert!(credentials_of(values).is_none(), "{values:?}");
        }
    }
}
