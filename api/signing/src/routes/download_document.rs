use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Http;
use crate::api::{DocumentDownload, SigningApi};
use crate::decode::Query;
use crate::edge::Authenticated;
use crate::ids::SigningId;
use crate::problem::Problem;

const DOCUMENT_SHA256: HeaderName = HeaderName::from_static("x-service-document-sha256");
const SANDBOX: HeaderName = HeaderName::from_static("x-service-sandbox");
const SIMULATED: HeaderValue = HeaderValue::from_static("simulated-artifact-no-signature");

/// Everything but `attr-char` of RFC 8187, 3.2.1.
const NOT_ATTR_CHAR: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// `GET /v1/signings/{signingId}/document`: 200 with the bytes.
pub(super) async fn download_document<A: SigningApi>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    id: SigningId,
    query: Query,
) -> Result<Response, Problem> {
    http.refuse_query(&caller, id, &query).await?;
    http.api.download_document(&caller, id).await.map(answer)
}

fn answer(download: DocumentDownload) -> Response {
    let sha256 = HeaderValue::try_from(hex::encode(download.sha256)).expect("hex digits are ASCII");
    let mut response = download.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    headers.insert(DOCUMENT_SHA256, sha256);
    headers.insert(CONTENT_DISPOSITION, attachment(&download.file_name));
    if download.simulated {
        headers.insert(SANDBOX, SIMULATED);
    }
    response
}

/// `Content-Disposition` (RFC 6266, 4.3): the name in ASCII for old readers,
/// and in full for all others.
fn attachment(file_name: &str) -> HeaderValue {
    let ascii: String = file_name
        .chars()
        .map(|c| {
            if c == ' ' || c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let full = utf8_percent_encode(file_name, NOT_ATTR_CHAR);
    HeaderValue::try_from(format!(
        "attachment; filename=\"{ascii}\"; filename*=UTF-8''{full}"
    ))
    .expect("both forms of the name are ASCII without control characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_travels_in_ascii_and_in_full() {
        assert_eq!(
            attachment("Sutartis Žalgirio 1.pdf"),
            "attachment; filename=\"Sutartis _algirio 1.pdf\"; filename*=UTF-8''Sutartis%20%C5%BDalgirio%201.pdf"
        );
    }

    #[test]
    fn a_name_cannot_break_out_of_the_header() {
        assert_eq!(
            attachment("a\"b\\c\r\n%d'.pdf"),
            "attachment; filename=\"a_b_c___d'.pdf\"; filename*=UTF-8''a%22b%5Cc%0D%0A%25d%27.pdf"
        );
    }
}
