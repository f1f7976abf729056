//! Entity tags (RFC 9110, 8.8.3) and conditional requests.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};

/// A strong entity tag.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct EntityTag(String);

/// Entity tags that a caller has.
pub(crate) struct Known(Vec<String>);

impl EntityTag {
    /// Entity tag from a digest in hexadecimal digits.
    pub(crate) fn of(digits: &str) -> Self {
        Self(format!("\"{digits}\""))
    }

    /// The entity tags in `If-None-Match`.
    pub(crate) fn known_to(headers: &HeaderMap) -> Known {
        let values = headers.get_all(IF_NONE_MATCH).iter();
        Known(
            values
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .map(|tag| tag.trim().trim_start_matches("W/").to_owned())
                .collect(),
        )
    }
}

impl Known {
    /// `response` with its entity tag, or 304 without content if the caller has it.
    pub(crate) fn answer(&self, (tag, mut response): (EntityTag, Response)) -> Response {
        let EntityTag(tag) = tag;
        if self.0.iter().any(|known| *known == tag || known == "*") {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            for of_content in [CONTENT_LENGTH, CONTENT_ENCODING] {
                response.headers_mut().remove(of_content);
            }
        }
        let tag = HeaderValue::try_from(tag).expect("hex digits in quotes are ASCII");
        response.headers_mut().insert(ETAG, tag);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(if_none_match: &'static str) -> StatusCode {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static(if_none_match));
        let response = Response::new(Body::from("content"));
        EntityTag::known_to(&headers)
            .answer((EntityTag::of("ab"), response))
            .status()
    }

    #[test]
    fn a_tag_that_the_caller_has_is_not_modified() {
        for known in ["\"ab\"", "W/\"ab\"", "\"xy\", \"ab\"", "*"] {
            assert_eq!(status(known), StatusCode::NOT_MODIFIED, "{known}");
        }
    }

    #[test]
    fn any_other_tag_is() {
        for known in ["", "ab", "\"abc\"", "\"xy\""] {
            assert_eq!(status(known), StatusCode::OK, "{known}");
        }
    }
}
