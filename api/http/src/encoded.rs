//! Content that is the same for all callers, plain and compressed, with an entity tag for
//! conditional requests.

use std::io::Write;
use std::sync::OnceLock;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderMap;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use sha2::{Digest, Sha256};

use crate::accept::accepts;
use crate::entity_tag::EntityTag;

/// A public text.
#[derive(Debug)]
pub(crate) struct Encoded {
    media_type: &'static str,
    text: Bytes,
    /// Hexadecimal digits of the text's digest.
    sha256: String,
    /// Compressed on first use.
    compressed: OnceLock<Bytes>,
}

impl Encoded {
    pub(crate) fn new(media_type: &'static str, text: String) -> Self {
        Self {
            media_type,
            sha256: hex::encode(Sha256::digest(&text)),
            text: text.into(),
            compressed: OnceLock::new(),
        }
    }

    /// The content in a coding that the caller accepts. The codings are different bytes and have
    /// different entity tags (RFC 9110, 8.8.3.3).
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let fields = [
            (CONTENT_TYPE, self.media_type),
            (CACHE_CONTROL, "public, no-cache"),
            (VARY, "accept-encoding"),
        ];
        let tagged = if accepts(headers, ACCEPT_ENCODING, "gzip") {
            let compressed = self.compressed.get_or_init(|| gzip(&self.text)).clone();
            let response = (fields, [(CONTENT_ENCODING, "gzip")], compressed).into_response();
            (EntityTag::of(&format!("{}-gzip", self.sha256)), response)
        } else {
            let response = (fields, self.text.clone()).into_response();
            (EntityTag::of(&self.sha256), response)
        };
        EntityTag::known_to(headers).answer(tagged)
    }
}

/// RFC 1952.
pub(crate) fn gzip(content: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.expect("memory takes what is written").into()
}

#[cfg(test)]
mod tests {
    use http::header::ETAG;
    use http::{HeaderName, HeaderValue, StatusCode};

    use super::*;

    fn asked(fields: &[(&'static str, &str)]) -> Response {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            let value = HeaderValue::from_str(value).unwrap();
            headers.insert(HeaderName::from_static(name), value);
        }
        Encoded::new("text/plain", "one and one".to_owned()).answer(&headers)
    }

    fn tag(response: &Response) -> String {
        response.headers()[ETAG].to_str().unwrap().to_owned()
    }

    #[test]
    fn a_tag_is_known_in_the_coding_that_it_is_of() {
        const GZIP: (&str, &str) = ("accept-encoding", "gzip");
        let plain = tag(&asked(&[]));
        let of_plain = ("if-none-match", plain.as_str());

        let again = asked(&[of_plain]);
        let compressed = asked(&[of_plain, GZIP]);
        let known = tag(&compressed);
        let again_compressed = asked(&[("if-none-match", known.as_str()), GZIP]);

        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(compressed.status(), StatusCode::OK);
        assert_eq!(again_compressed.status(), StatusCode::NOT_MODIFIED);
        let headers = again_compressed.headers();
        assert!(!headers.contains_key(CONTENT_ENCODING));
        assert_eq!(headers[VARY], "accept-encoding");
    }
}
