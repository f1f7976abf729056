use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// Maximum length of a caller's id, in characters.
const LONGEST: usize = 128;

/// Id that links an answer, its log lines and the caller's own log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Both ways.
    pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

    /// The caller's, if it is at most 128 visible ASCII characters, else a new
    /// one.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let given = headers
            .get(Self::HEADER)
            .map(HeaderValue::as_bytes)
            .filter(|id| (1..=LONGEST).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic));
        let given = given.and_then(|id| std::str::from_utf8(id).ok());
        match given {
            Some(id) => Self(id.into()),
            None => Self(Uuid::now_v7().to_string().into()),
        }
    }

    /// An id for examples.
    pub(crate) fn example() -> Self {
        Self("0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f".into())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Form for bodies that have room only for a UUID: the id itself if it is one. Otherwise one of
    /// version 8 (RFC 9562, 5.8), from the first 16 bytes of the SHA-256 digest of its text.
    #[must_use]
    pub fn to_uuid(&self) -> Uuid {
        Uuid::try_parse(&self.0).unwrap_or_else(|_| {
            let mut start = [0; 16];
            start.copy_from_slice(&Sha256::digest(self.0.as_bytes())[..16]);
            Builder::from_custom_bytes(start).into_uuid()
        })
    }

    /// The id as a header's value.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("visible ASCII is a header value")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(value: &[u8]) -> RequestId {
        let mut headers = HeaderMap::new();
        headers.insert(RequestId::HEADER, HeaderValue::from_bytes(value).unwrap());
        RequestId::of(&headers)
    }

    #[test]
    fn a_sane_id_is_kept() {
        assert_eq!(id_of(b"abc-123").as_str(), "abc-123");
        assert_eq!(id_of(&[b'x'; 128]).as_str().len(), 128);
    }

    #[test]
    fn a_uuid_is_itself_however_it_is_written_and_another_id_makes_one() {
        let uuid = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
        for written in [
            uuid,
            "0190B5A8-7C3E-7D7B-8F6E-2A1B3C4D5E6F",
            "0190b5a87c3e7d7b8f6e2a1b3c4d5e6f",
        ] {
            assert_eq!(id_of(written.as_bytes()).to_uuid().to_string(), uuid);
        }
        let made = id_of(b"mine").to_uuid();
        assert_eq!(made.to_string(), "3fd30542-fe3f-81b1-8bd4-a4b2dc0b6fb3");
        assert_ne!(made, id_of(b"yours").to_uuid());
    }

    #[test]
    fn any_other_id_is_replaced() {
        for value in [
            b"".as_slice(),
            b"two words",
            "ąžuolas".as_bytes(),
            &[b'x'; 129],
        ] {
            assert!(Uuid::try_parse(id_of(value).as_str()).is_ok());
        }
        assert_ne!(
            RequestId::of(&HeaderMap::new()),
            RequestId::of(&HeaderMap::new())
        );
    }
}
