use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};

use super::Http;
use crate::api::{DocumentDownload, SigningApi};
use crate::decode::Query;
use crate::disposition::{Disposition, content_disposition};
use crate::edge::Authenticated;
use crate::ids::SigningId;
use crate::problem::Problem;

const DOCUMENT_SHA256: HeaderName = HeaderName::from_static("x-service-document-sha256");
const SANDBOX: HeaderName = HeaderName::from_static("x-service-sandbox");
const SIMULATED: HeaderValue = HeaderValue::from_static("simulated-artifact-no-signature");

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
    headers.insert(
        CONTENT_DISPOSITION,
        content_disposition(Disposition::Attachment, &download.file_name),
    );
    if download.simulated {
        headers.insert(SANDBOX, SIMULATED);
    }
    response
}
