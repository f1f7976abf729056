//! OCSP responders (RFC 6960), one for each authority.

mod answer;

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use der::Encode as _;
use x509_ocsp::OcspResponse;

use crate::{clock::DemoClock, pki::Pki};

/// Largest request, bytes.
const REQUEST_LIMIT: usize = 16 * 1024;
const REQUEST_TYPE: &str = "application/ocsp-request";
const RESPONSE_TYPE: &str = "application/ocsp-response";

#[derive(Clone)]
struct Responder {
    pki: Arc<Pki>,
    clock: Arc<dyn DemoClock>,
}

/// `POST /ocsp` and `/ocsp/{authority}`, `GET /ocsp/{authority}/{request}`
/// (RFC 6960, appendix A).
pub(crate) fn router(pki: Arc<Pki>, clock: Arc<dyn DemoClock>) -> Router {
    Router::new()
        .route("/ocsp", post(post_any))
        .route("/ocsp/{authority}", post(post_one))
        .route("/ocsp/{authority}/{*request}", get(get_one))
        .layer(DefaultBodyLimit::max(REQUEST_LIMIT))
        .with_state(Responder { pki, clock })
}

async fn post_any(State(responder): State<Responder>, headers: HeaderMap, body: Bytes) -> Response {
    if !is_ocsp_request(&headers) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    responder.answer(None, &body)
}

async fn post_one(
    State(responder): State<Responder>,
    Path(authority): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !is_ocsp_request(&headers) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    responder.answer(Some(&authority), &body)
}

async fn get_one(
    State(responder): State<Responder>,
    Path((authority, request)): Path<(String, String)>,
) -> Response {
    match STANDARD.decode(request) {
        Ok(request) => responder.answer(Some(&authority), &request),
        Err(_) => respond(OcspResponse::malformed_request().to_der()),
    }
}

impl Responder {
    fn answer(&self, authority: Option<&str>, request: &[u8]) -> Response {
        if authority.is_some_and(|id| self.pki.authority(id).is_none()) {
            return StatusCode::NOT_FOUND.into_response();
        }
        let now = self.clock.now();
        respond(
            answer::answer(&self.pki, authority, request, now).or_else(|error| {
                tracing::error!(%error, "the OCSP responder cannot answer");
                OcspResponse::internal_error().to_der()
            }),
        )
    }
}

fn is_ocsp_request(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| {
        value
            .as_bytes()
            .eq_ignore_ascii_case(REQUEST_TYPE.as_bytes())
    })
}

fn respond(response: der::Result<Vec<u8>>) -> Response {
    match response {
        Ok(body) => ([(CONTENT_TYPE, RESPONSE_TYPE)], body).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
