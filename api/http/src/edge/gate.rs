use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, ORIGIN, WWW_AUTHENTICATE};
use http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode};
use tokio::time::Instant;
use uuid::Uuid;

use super::admission::{may_come, peer};
use super::origin::Origin;
use super::rate::{AlreadyCounted, RateDecision};
use crate::api::Api;
use crate::ids::parse_uuid;
use crate::operation::{Contract, Entry};
use crate::principal::{Access, Credentials, Principal, Security};
use crate::problem::{Problem, ProblemType};
use crate::served::Http;

/// Caller of the current request.
pub(crate) struct Authenticated<C>(pub(crate) Arc<C>);

impl<C> Clone for Authenticated<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Admits only authenticated callers within their rate and with the right to such calls.
pub(crate) async fn gate<A: Api>(
    State(http): State<Http<A>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let template = parts.extensions.get::<MatchedPath>().cloned();
    let contract = template.and_then(|path| http.contract(path.as_str(), &parts.method));
    let params = RawPathParams::from_request_parts(&mut parts, &()).await;
    let params = params.ok().filter(|_| contract.is_some());
    let request = Request::from_parts(parts, body);
    let origin = match origin_of(&http, contract, params.as_ref(), request.headers()).await {
        Ok(origin) => origin,
        Err(problem) => return about(problem.into_response(), params.as_ref()),
    };
    let mut response = match preflight(contract, &origin, &request) {
        Some(answer) => answer,
        None => enter(&http, contract, &origin, request, next).await,
    };
    if contract.is_some_and(|contract| contract.origins.is_some()) {
        origin.describe(response.headers_mut());
    }
    about(response, params.as_ref())
}

/// Origin of a request, if its operation restricts origins.
async fn origin_of<A: Api>(
    http: &Http<A>,
    contract: Option<&Contract<A>>,
    params: Option<&RawPathParams>,
    headers: &HeaderMap,
) -> Result<Origin, Problem> {
    let rule = contract.and_then(|contract| contract.origins);
    if rule.is_none() || !headers.contains_key(ORIGIN) {
        return Ok(Origin::None);
    }
    let record = contract
        .zip(params)
        .and_then(|(contract, params)| (contract.record)(params)?);
    let admitted = match record {
        Some(record) => http.api.origin(record).await?,
        None => None,
    };
    Ok(Origin::of(headers, admitted.as_deref()))
}

/// Answer to a preflight request of a browser.
fn preflight<A: Api>(
    contract: Option<&Contract<A>>,
    origin: &Origin,
    request: &Request,
) -> Option<Response> {
    let contract = contract?;
    let rule = contract.origins?;
    let asks = *request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    asks.then(|| origin.preflight(rule, &contract.method))
}

/// Adds the record named by the path to a refusal, and a detail to a 404.
fn about(mut response: Response, params: Option<&RawPathParams>) -> Response {
    let first: Option<Uuid> = params
        .into_iter()
        .flat_map(RawPathParams::iter)
        .find_map(|(_, value)| parse_uuid(value));
    let Some(params) = params.filter(|params| params.iter().next().is_some()) else {
        return response;
    };
    if let Some(mut problem) = response.extensions_mut().remove::<Problem>() {
        if let Some(record) = first {
            problem = problem.about(record);
        }
        if problem.kind() == ProblemType::NOT_FOUND {
            problem = problem.told_instead(|| absent(params));
        }
        response.extensions_mut().insert(problem);
    }
    response
}

/// Description of the missing record of a path.
fn absent(params: &RawPathParams) -> String {
    let named = params.iter().map(|(name, value)| match parse_uuid(value) {
        Some(id) => format!("{name} {id}"),
        None => format!("a {name} that is not a UUID"),
    });
    let named: Vec<_> = named.collect();
    format!(
        "These credentials have no record with {}.",
        named.join(" and ")
    )
}

async fn enter<A: Api>(
    http: &Http<A>,
    contract: Option<&Contract<A>>,
    origin: &Origin,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = caller(http, contract, request.headers()).await;
    let from = request.extensions();
    // A surface that counts a call itself has checked this too.
    let is_counted = from.get::<AlreadyCounted>().is_some();
    let caller = caller.and_then(|caller| match is_counted || may_come(&caller, from) {
        true => Ok(caller),
        false => Err(Refused {
            problem: Problem::unauthorized(),
            security: security(http, contract),
        }),
    });
    let caller = match caller {
        Ok(caller) => caller,
        Err(refused) => return refuse_stranger(http, &request, refused),
    };
    let access = Access::of(request.method());
    let rate = count(http, contract, &caller, access, request.extensions()).await;
    let rule = contract.and_then(|contract| contract.origins);
    let admitted = check(&caller, request.method(), &rate)
        .and_then(|()| rule.map_or(Ok(()), |rule| origin.check(rule)));
    let mut response = match admitted {
        Ok(()) => {
            request
                .extensions_mut()
                .insert(Authenticated(Arc::new(caller)));
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    if response.status() == StatusCode::UNAUTHORIZED {
        // Credentials that work, but not for this record.
        challenge(&mut response, security(http, contract));
    }
    rate.describe(response.headers_mut());
    response
}

async fn count<A: Api>(
    http: &Http<A>,
    contract: Option<&Contract<A>>,
    caller: &A::Caller,
    access: Access,
    request: &Extensions,
) -> RateDecision {
    if let Some(AlreadyCounted(rate)) = request.get() {
        return *rate;
    }
    let rates = &http.config.rates;
    match (contract.map(|contract| &contract.entry), peer(request)) {
        (Some(Entry::Anybody(_)), Some(peer)) => rates.admit_visitor(peer, access, Instant::now()),
        _ => rates.admit(caller.key_id(), access, Instant::now()).await,
    }
}

/// Refusal of credentials, with the security scheme for its challenge.
struct Refused {
    problem: Problem,
    security: Security,
}

async fn caller<A: Api>(
    http: &Http<A>,
    contract: Option<&Contract<A>>,
    headers: &HeaderMap,
) -> Result<A::Caller, Refused> {
    let security = security(http, contract);
    let entry = contract.map(|contract| &contract.entry);
    let refusal = match entry {
        Some(Entry::Anybody(caller)) => return Ok(caller()),
        Some(Entry::By(credential)) => credential.refusal,
        Some(Entry::Usual | Entry::AnyKey) | None => ProblemType::UNAUTHORIZED,
    };
    let credentials = Credentials::of(headers).filter(|given| security.is_of(given));
    let caller = match (credentials, entry) {
        (None, _) => Err(Problem::new(refusal, missing(headers, security))),
        (Some(credentials), Some(Entry::AnyKey) | None) => {
            http.api.authenticate_any(&credentials).await
        }
        (Some(credentials), Some(_)) => http.api.authenticate(&credentials).await,
    };
    caller.map_err(|problem| Refused { problem, security })
}

/// Reason why a request has no credentials of a scheme.
fn missing(headers: &HeaderMap, security: Security) -> String {
    let scheme = security.name();
    match headers.contains_key(AUTHORIZATION) {
        true => format!(
            "The request must have one Authorization header with credentials of the scheme {scheme}."
        ),
        false => format!(
            "The request has no Authorization header; send one with credentials of the scheme {scheme}."
        ),
    }
}

/// Refuses a caller; one that tries many invalid credentials must wait.
fn refuse_stranger<A: Api>(http: &Http<A>, request: &Request, refused: Refused) -> Response {
    let Refused { problem, security } = refused;
    if problem.status() != StatusCode::UNAUTHORIZED {
        return problem.into_response();
    }
    if let Some(peer) = peer(request.extensions()) {
        let rate = http.config.rates.admit_stranger(peer, Instant::now());
        if let Err(too_many) = rate.check() {
            let mut response = too_many.into_response();
            rate.describe(response.headers_mut());
            return response;
        }
    }
    let mut response = problem.into_response();
    challenge(&mut response, security);
    response
}

/// Security scheme of a call.
fn security<A: Api>(http: &Http<A>, contract: Option<&Contract<A>>) -> Security {
    match contract.map(|contract| &contract.entry) {
        Some(Entry::By(credential)) => credential.security,
        Some(Entry::Anybody(_) | Entry::AnyKey | Entry::Usual) | None => http.reference.security,
    }
}

/// Adds the challenge that every 401 must have (RFC 9110, 11.6.1).
fn challenge(response: &mut Response, security: Security) {
    let challenge = HeaderValue::from_static(security.challenge());
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
}

fn check(caller: &impl Principal, method: &Method, rate: &RateDecision) -> Result<(), Problem> {
    rate.check()?;
    match caller.may(Access::of(method)) {
        true => Ok(()),
        false => Err(Problem::forbidden(method.as_str())),
    }
}
