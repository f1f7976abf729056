//! The signed document itself.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use super::call::Call;
use super::validator::Validator;
use crate::api::{DocumentDownload, SigningApi};
use crate::disposition::{Disposition, content_disposition};
use crate::ids::SigningId;
use crate::problem::Problem;

const DOCUMENT_SHA256: HeaderName = HeaderName::from_static("x-service-document-sha256");
const SANDBOX: HeaderName = HeaderName::from_static("x-service-sandbox");
/// Marks the unsigned artifact of a simulation, in `X-Service-Sandbox`.
pub(crate) const SIMULATED: &str = "simulated-artifact-no-signature";

pub(super) async fn download<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let known = Validator::known_to(call.request.headers());
    let wants_content = call.request.method() != Method::HEAD;
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let download = api.download_document(&asked.caller, asked.place).await?;
    let mut response = known.answer(description(&download));
    if wants_content && response.status() == StatusCode::OK {
        *response.body_mut() = download.content.await?;
    }
    Ok(response)
}

/// The answer without the document.
fn description(download: &DocumentDownload) -> (Validator, Response) {
    let digits = hex::encode(download.sha256);
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    headers.insert(CONTENT_LENGTH, download.bytes.into());
    headers.insert(
        CONTENT_DISPOSITION,
        content_disposition(Disposition::Attachment, &download.file_name),
    );
    if download.simulated {
        headers.insert(SANDBOX, HeaderValue::from_static(SIMULATED));
    }
    let validator = Validator::of(&digits);
    headers.insert(
        DOCUMENT_SHA256,
        HeaderValue::try_from(digits).expect("hex digits are ASCII"),
    );
    (validator, response)
}
