//! The repository that certificates point at: issuers (AIA) and revocation
//! lists (RFC 5280, 4.2.2.1 and 5).

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use der::Encode as _;

use crate::{clock::DemoClock, error::WorldError, pki::Pki};

#[derive(Clone)]
struct Repository {
    pki: Arc<Pki>,
    clock: Arc<dyn DemoClock>,
}

/// `GET /aia/{authority}.crt` and `GET /crl/{authority}.crl`, both DER.
pub(crate) fn router(pki: Arc<Pki>, clock: Arc<dyn DemoClock>) -> Router {
    Router::new()
        .route("/aia/{file}", get(certificate))
        .route("/crl/{file}", get(revocation_list))
        .with_state(Repository { pki, clock })
}

async fn certificate(State(repository): State<Repository>, Path(file): Path<String>) -> Response {
    let authority = file
        .strip_suffix(".crt")
        .and_then(|id| repository.pki.authority(id));
    let Some(authority) = authority else {
        return StatusCode::NOT_FOUND.into_response();
    };
    answer(
        "application/pkix-cert",
        authority.certificate().to_der().map_err(Into::into),
    )
}

async fn revocation_list(
    State(repository): State<Repository>,
    Path(file): Path<String>,
) -> Response {
    let authority = file
        .strip_suffix(".crl")
        .and_then(|id| repository.pki.authority(id));
    let Some(authority) = authority else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let revoked = repository.pki.revoked(authority);
    let list = authority.revocation_list(revoked, repository.clock.now());
    answer("application/pkix-crl", list.map_err(Into::into))
}

fn answer(content_type: &'static str, body: Result<Vec<u8>, WorldError>) -> Response {
    match body {
        Ok(body) => ([(CONTENT_TYPE, content_type)], body).into_response(),
        Err(error) => {
            tracing::error!(%error, "the repository cannot answer");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
