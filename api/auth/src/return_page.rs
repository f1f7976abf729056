//! Page to which Smart-ID's app sends a person's browser back.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use parafa_api_http::edge;
use uuid::Uuid;

use crate::api::{AuthApi, AuthenticationId};
use crate::envelope::ErrorEnvelope;
use crate::requests::AppReturn;

const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// The same whether the return is valid or not, so that a forged one reveals nothing.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang="lt">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Prisijungimas su Smart-ID · Log in with Smart-ID</title>
</head>
<body>
<main>
<h1>Prisijungimas su Smart-ID</h1>
<p>Grįžkite į puslapį, kuriame pradėjote prisijungti.</p>
<h1 lang="en">Log in with Smart-ID</h1>
<p lang="en">Go back to the page where you began to log in.</p>
</main>
</body>
</html>
"#;

/// `GET /auth/return/{requestId}`.
pub(crate) fn page<A: AuthApi>(api: Arc<A>) -> Router {
    let routes = Router::new().route("/auth/return/{requestId}", get(returned::<A>));
    edge(routes.with_state(api), ErrorEnvelope)
}

async fn returned<A: AuthApi>(
    State(api): State<Arc<A>>,
    Path(request): Path<String>,
    parameters: Result<Query<AppReturn>, QueryRejection>,
) -> Response {
    let began_at = match (Uuid::try_parse(&request), parameters) {
        (Ok(id), Ok(Query(parameters))) => {
            api.return_from_app(AuthenticationId(id), parameters).await
        }
        _ => None,
    };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
    ];
    match began_at {
        Some(address) => Redirect::to(&address).into_response(),
        None => (headers, PAGE).into_response(),
    }
}
