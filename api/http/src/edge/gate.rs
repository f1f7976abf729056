use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;

use super::rate::RateDecision;
use crate::api::Api;
use crate::principal::{Access, Credentials, Principal};
use crate::problem::{Problem, ProblemType};
use crate::router::Http;

/// The caller of the request at hand.
pub(crate) struct Authenticated<C>(pub(crate) Arc<C>);

impl<C> Clone for Authenticated<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Lets only those in who are known, and have a rate and the right to such
/// calls.
pub(crate) async fn gate<A: Api>(
    State(http): State<Http<A>>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match authenticate(&*http.api, request.headers()).await {
        Ok(caller) => caller,
        Err(problem) => return refuse_stranger(&http, &request, problem),
    };
    let access = Access::of(request.method());
    let rate = http.rates.admit(caller.key_id(), access, Instant::now());
    let mut response = match enter(&caller, access, &rate) {
        Ok(()) => {
            request
                .extensions_mut()
                .insert(Authenticated(Arc::new(caller)));
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    rate.describe(response.headers_mut());
    response
}

/// Whoever tries many credentials that do not work is told to wait.
fn refuse_stranger<A: Api>(http: &Http<A>, request: &Request, problem: Problem) -> Response {
    if problem.kind() != ProblemType::UNAUTHORIZED {
        return problem.into_response();
    }
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() {
        let rate = http.rates.admit_stranger(peer.ip(), Instant::now());
        if let Err(too_many) = rate.check() {
            let mut response = too_many.into_response();
            rate.describe(response.headers_mut());
            return response;
        }
    }
    let mut response = problem.into_response();
    let challenge = HeaderValue::from_static(http.reference.security.challenge());
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

async fn authenticate<A: Api>(api: &A, headers: &HeaderMap) -> Result<A::Caller, Problem> {
    let credentials = Credentials::of(headers).ok_or_else(Problem::unauthorized)?;
    api.authenticate(&credentials).await
}

fn enter(caller: &impl Principal, access: Access, rate: &RateDecision) -> Result<(), Problem> {
    rate.check()?;
    match caller.may(access) {
        true => Ok(()),
        false => Err(Problem::forbidden()),
    }
}
