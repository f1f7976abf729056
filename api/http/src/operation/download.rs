//! Bytes that callers download.

use std::pin::Pin;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use crate::disposition::{Disposition, file_headers};
use crate::entity_tag::{EntityTag, Known};
use crate::problem::Problem;

const DOCUMENT_SHA256: HeaderName = HeaderName::from_static("x-service-document-sha256");

/// Bytes that a caller downloads.
pub struct Download {
    /// The bytes. Not awaited if the caller wants only the headers, or has them already.
    pub content: Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send>>,
    /// Length in bytes.
    pub bytes: u64,
    /// File name for a browser.
    pub file_name: String,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// Further headers, with the media type if it has one.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

/// Conditions of a download request.
pub(super) struct Wanted {
    known: Known,
    content: bool,
}

impl Wanted {
    pub(super) fn of(request: &Request) -> Self {
        Self {
            known: EntityTag::known_to(request.headers()),
            content: request.method() != Method::HEAD,
        }
    }

    pub(super) async fn answer(self, download: Download) -> Result<Response, Problem> {
        let mut response = self.known.answer(description(&download));
        if self.content && response.status() == StatusCode::OK {
            *response.body_mut() = download.content.await?;
        }
        Ok(response)
    }
}

/// The answer without the bytes.
fn description(download: &Download) -> (EntityTag, Response) {
    let digits = hex::encode(download.sha256);
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    headers.insert(CONTENT_LENGTH, download.bytes.into());
    headers.extend(file_headers(Disposition::Attachment, &download.file_name));
    for (name, value) in &download.headers {
        headers.insert(name, value.clone());
    }
    let tag = EntityTag::of(&digits);
    headers.insert(
        DOCUMENT_SHA256,
        HeaderValue::try_from(digits).expect("hex digits are ASCII"),
    );
    (tag, response)
}
