use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use tokio::time::Instant;

use super::rate::RateDecision;
use crate::api::{Access, ApiKey, Principal, SigningApi};
use crate::problem::{Problem, ProblemKind};
use crate::routes::Http;

/// The caller of the request at hand.
pub(crate) struct Authenticated<C>(pub(crate) Arc<C>);

impl<C> Clone for Authenticated<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Lets only those in who have a key, a rate and a role for the method.
pub(crate) async fn gate<A: SigningApi>(
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

/// Whoever tries many keys that do not work is told to wait.
fn refuse_stranger<A: SigningApi>(http: &Http<A>, request: &Request, problem: Problem) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let Some(ConnectInfo(peer)) = peer.filter(|_| problem.kind() == ProblemKind::Unauthorized)
    else {
        return problem.into_response();
    };
    let rate = http.rates.admit_stranger(peer.ip(), Instant::now());
    match rate.check() {
        Ok(()) => problem.into_response(),
        Err(too_many) => {
            let mut response = too_many.into_response();
            rate.describe(response.headers_mut());
            response
        }
    }
}

async fn authenticate<A: SigningApi>(api: &A, headers: &HeaderMap) -> Result<A::Caller, Problem> {
    let key = bearer_key(headers).ok_or_else(Problem::unauthorized)?;
    api.authenticate(&key).await
}

fn enter(caller: &impl Principal, access: Access, rate: &RateDecision) -> Result<(), Problem> {
    rate.check()?;
    if !access.granted_to(caller.role()) {
        return Err(Problem::forbidden());
    }
    Ok(())
}

/// The credentials of RFC 6750, 2.1, if there is exactly one such header.
fn bearer_key(headers: &HeaderMap) -> Option<ApiKey> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    let key = key.trim_matches(' ');
    let sound = values.next().is_none() && scheme.eq_ignore_ascii_case("bearer") && !key.is_empty();
    sound.then(|| ApiKey::new(key))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn key_of(values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        bearer_key(&headers).map(|key| key.expose().to_owned())
    }

    #[test]
    fn the_scheme_is_read_in_any_case() {
        assert_eq!(
            key_of(&["Bearer tsk_test_1"]).as_deref(),
            Some("tsk_test_1")
        );
        assert_eq!(
            key_of(&["bearer  tsk_test_1"]).as_deref(),
            Some("tsk_test_1")
        );
    }

    #[test]
    fn anything_but_one_bearer_key_is_none() {
        for values in [
            &[][..],
            &["Bearer"],
            &["Bearer "],
            &["Basic YTpi"],
            &["tsk_test_1"],
            &["Bearer a", "Bearer b"],
        ] {
            assert_eq!(key_of(values), None, "{values:?}");
        }
    }
}
