use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};

use super::{Http, json};
use crate::api::SigningApi;
use crate::edge::Authenticated;
use crate::problem::Problem;
use crate::requests::CreateSigning;

/// `POST /v1/signings`: 201 with the signing and its address.
pub(super) async fn create_signing<A: SigningApi>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    request: Request,
) -> Result<Response, Problem> {
    let (request, _share) = http
        .decode(request, |api, node| {
            CreateSigning::decode(node, |target| api.webhook_target(target))
        })
        .await?;
    let signing = http.api.create_signing(&caller, request, None).await?;
    let location = http
        .config
        .base_url
        .join(&format!("/v1/signings/{}", signing.signing_id));
    let mut response = json(StatusCode::CREATED, &signing);
    let location = HeaderValue::try_from(location).expect("a parsed URL and a UUID are ASCII");
    response.headers_mut().insert(LOCATION, location);
    Ok(response)
}
