//! State shared by pages and calls, and extractors of their input.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, IF_NONE_MATCH};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use parafa_api_http::pages::page_response;
use parafa_api_http::{Admission, Credentials, Input, Problem, ProblemType, accepts};

use crate::api::CeremonyApi;
use crate::page::{dead_link, trouble};
use crate::parameters::PageParameters;
use crate::vocabulary::Language;

/// State that all pages and calls share.
pub(crate) struct CeremonyRoutes<C> {
    pub(crate) api: C,
    /// Decodes the input of calls.
    pub(crate) admission: Admission,
    /// Origin of the pages, as browsers serialize it.
    pub(crate) origin: String,
}

/// Shared by all handlers.
pub(crate) type Shared<C> = Arc<CeremonyRoutes<C>>;

impl<C: CeremonyApi> CeremonyRoutes<C> {
    /// Input of a call.
    pub(crate) async fn asked<I: Input<C>>(&self, request: Request) -> Result<I::Value, Problem> {
        self.admission.asked::<C, I>(&self.api, request).await
    }
}

/// Extracts the input of a request, from its body or its query.
pub(crate) struct Asked<C, I: Input<C>>(pub(crate) I::Value);

impl<C: CeremonyApi, I: Input<C>> FromRequest<Shared<C>> for Asked<C, I> {
    type Rejection = Problem;

    async fn from_request(request: Request, routes: &Shared<C>) -> Result<Self, Problem> {
        routes.asked::<I>(request).await.map(Self)
    }
}

/// Token in the path; text that is not UTF-8 is no token.
pub(crate) struct LinkToken(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for LinkToken {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let token = token(parts, state).await?;
        token.map(Self).ok_or_else(Problem::not_found)
    }
}

async fn token<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<Option<String>, Problem> {
    let params = RawPathParams::from_request_parts(parts, state).await;
    let params = params.map_err(|_| Problem::not_found())?;
    let token = params.iter().find(|(name, _)| *name == "token");
    Ok(token.map(|(_, token)| token.to_owned()))
}

/// A link that is open or not.
pub(crate) const ANY: bool = false;
/// A link that allows more than reading. Calls that change something answer 404 on others.
pub(crate) const OPEN: bool = true;

/// Link of a call, by the token in its path or the token of a card's app.
pub(crate) struct Link<C: CeremonyApi, const IS_OPEN: bool>(pub(crate) C::Link);

impl<C: CeremonyApi, const IS_OPEN: bool> FromRequestParts<Shared<C>> for Link<C, IS_OPEN> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, routes: &Shared<C>) -> Result<Self, Problem> {
        let api = &routes.api;
        let link = match (token(parts, routes).await?, Credentials::of(&parts.headers)) {
            (Some(token), _) if IS_OPEN => find_open(api, &token).await,
            (Some(token), _) => api.find(&token).await,
            (None, Some(Credentials::Bearer(token))) => api.find_paired(token.expose()).await,
            (None, _) => Err(Problem::not_found()),
        };
        link.map(Self)
    }
}

/// Checks that the link in the path of a call is valid, without keeping it: the call may wait,
/// beside thousands of others.
pub(crate) struct LiveLink;

impl<C: CeremonyApi> FromRequestParts<Shared<C>> for LiveLink {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, routes: &Shared<C>) -> Result<Self, Problem> {
        let link = Link::<C, ANY>::from_request_parts(parts, routes).await;
        link.map(|_| Self)
    }
}

/// The entity tag of the state that the reader has. The other headers are dropped, because each
/// keeps the whole buffer in memory. A proxy that compresses answers makes the tags weak.
pub(crate) struct KnownState(pub(crate) Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for KnownState {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let tag = parts.headers.get(IF_NONE_MATCH);
        let tag = tag.and_then(|tag| tag.to_str().ok()).map(|tag| {
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            tag.trim_matches('"').to_owned()
        });
        Ok(Self(tag))
    }
}

/// A link that is [`OPEN`].
pub(crate) async fn find_open<C: CeremonyApi>(api: &C, token: &str) -> Result<C::Link, Problem> {
    let link = api.find(token).await?;
    match api.is_open(&link) {
        true => Ok(link),
        false => Err(Problem::not_found()),
    }
}

/// A call with an unsupported method. A link that is unknown or no longer valid is reported first;
/// the router adds `Allow`.
pub(crate) async fn method_not_allowed<C: CeremonyApi, const IS_OPEN: bool>(
    State(routes): State<Shared<C>>,
    token: Result<LinkToken, Problem>,
    link: Result<Link<C, IS_OPEN>, Problem>,
    parameters: PageParameters,
    headers: HeaderMap,
) -> Response {
    match link {
        Ok(_) => Problem::of(ProblemType::METHOD_NOT_ALLOWED).into_response(),
        Err(problem) => {
            let token = token.map_or_else(|_| String::new(), |LinkToken(token)| token);
            let language = parameters.page_language().known();
            refusal(&routes.api, &token, problem, &headers, language).await
        }
    }
}

/// A page for a person, a problem document for a program.
pub(crate) async fn refusal<C: CeremonyApi>(
    api: &C,
    token: &str,
    problem: Problem,
    headers: &HeaderMap,
    language: Option<Language>,
) -> Response {
    if !wants_html(headers) {
        return problem.into_response();
    }
    match problem.kind() {
        ProblemType::NOT_FOUND => dead_link_page(api, token, problem.status(), language).await,
        _ => page_response(problem.status(), trouble(language)),
    }
}

/// Page of a closed link. The holder of a known token may see the reason.
pub(crate) async fn dead_link_page<C: CeremonyApi>(
    api: &C,
    token: &str,
    status: StatusCode,
    language: Option<Language>,
) -> Response {
    match api.closed(token).await {
        Ok(closed) => {
            let language = language.or(closed.map(|closed| closed.language));
            let page = dead_link(language, closed.map(|closed| closed.reason));
            page_response(status, page)
        }
        Err(problem) => page_response(problem.status(), trouble(language)),
    }
}

/// Returns true if the client accepts HTML (RFC 9110, 12.5.1).
pub(crate) fn wants_html(headers: &HeaderMap) -> bool {
    accepts(headers, ACCEPT, "text/html")
}
