//! Layers around every route.

mod admission;
mod body;
mod gate;
mod guesses;
mod origin;
mod panic;
mod rate;
mod request_id;

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::header::{CACHE_CONTROL, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use http::{HeaderValue, Method};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;

pub use self::admission::Admission;
pub use self::body::{AdmittedBody, BodyPace};
pub(crate) use self::body::{BodyBudget, BodyLimits, BudgetShare};
pub(crate) use self::gate::{Authenticated, gate};
pub use self::guesses::limit_guesses;
pub(crate) use self::origin::OriginRule;
pub use self::rate::{
    AlreadyCounted, RateDecision, RateLimiter, RateLimits, SharedBuckets, TakenRequests,
};
pub use self::request_id::RequestId;
use crate::problem::{Problem, ProblemFormat, write};

/// Puts the edge around `router`:
///
/// - a request id in and out and in every log line;
/// - refusals in `format` in place of the [`Problem`]s that its handlers return, and 503 in place
///   of a panic;
/// - for answers that do not set these: `Cache-Control: no-store`, no framing (RFC 7034) and no
///   referrer (Referrer Policy, 3.1), because some of them are documents.
///
/// Paths in the log are those of the routes, so that they contain no id or token of a URL.
pub fn edge(router: Router, format: impl ProblemFormat) -> Router {
    router
        .layer(CatchPanicLayer::custom(panic::respond))
        .layer(from_fn_with_state(Arc::new(format), around))
}

async fn around<F: ProblemFormat>(
    State(format): State<Arc<F>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::of(request.headers());
    let span = tracing::info_span!(
        "request",
        id = id.as_str(),
        method = method_name(request.method()),
        path = request
            .extensions()
            .get::<MatchedPath>()
            .map_or("", MatchedPath::as_str),
    );
    request.extensions_mut().insert(id.clone());
    async move {
        let mut response = next.run(request).await;
        if let Some(problem) = response.extensions_mut().remove::<Problem>() {
            tracing::info!(problem = problem.kind().name, uuid = %id.to_uuid(), "refused");
            response = write(&*format, &problem, &id, response);
        }
        let headers = response.headers_mut();
        headers
            .entry(CACHE_CONTROL)
            .or_insert(HeaderValue::from_static("no-store"));
        headers
            .entry(X_CONTENT_TYPE_OPTIONS)
            .or_insert(HeaderValue::from_static("nosniff"));
        headers
            .entry(REFERRER_POLICY)
            .or_insert(HeaderValue::from_static("no-referrer"));
        headers
            .entry(X_FRAME_OPTIONS)
            .or_insert(HeaderValue::from_static("DENY"));
        headers.insert(RequestId::HEADER, id.to_header());
        response
    }
    .instrument(span)
    .await
}

/// Label of the method in the log; unknown methods share one.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
