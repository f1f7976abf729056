//! Metrics and traces of requests, by the template of their route: a path may hold the token of a
//! link.

use std::sync::LazyLock;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use parafa_traces::TARGET;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};

/// Route label of requests that match no route.
const NO_ROUTE: &str = "none";
/// Method label of methods that no API knows.
const OTHER_METHOD: &str = "other";

/// The numbers of this process.
static METRICS: LazyLock<RequestMetrics> = LazyLock::new(RequestMetrics::new);

#[derive(Debug)]
struct RequestMetrics {
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u32,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct RouteLabels {
    method: &'static str,
    route: String,
}

/// The party that decides if a request is traced.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TracedBy {
    /// The caller, if the request has a key: calls of APIs.
    Caller,
    /// The host: pages, which anybody may open.
    Host,
}

/// Counts requests and their answers, and begins or continues their traces; a
/// middleware around a whole router.
pub async fn count_requests(
    State(traced_by): State<TracedBy>,
    request: Request,
    next: Next,
) -> Response {
    let method = method_name(request.method());
    let matched = request.extensions().get::<MatchedPath>();
    let traceparent = traced_by.traceparent(request.headers());
    let span = span_of(method, matched.map(MatchedPath::as_str), traceparent);
    let route = matched.map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
    let begun = Instant::now();
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    let elapsed = begun.elapsed().as_secs_f64();
    let metrics = &METRICS;
    let durations = RouteLabels {
        method,
        route: route.clone(),
    };
    metrics.durations.get_or_create(&durations).observe(elapsed);
    let requests = RequestLabels {
        method,
        route,
        status: u32::from(response.status().as_u16()),
    };
    metrics.requests.get_or_create(&requests).inc();
    response
}

impl TracedBy {
    /// The caller's span, if callers may decide. The key is validated later; a refused request is
    /// one span.
    fn traceparent(self, headers: &HeaderMap) -> Option<&str> {
        let may_say = self == Self::Caller && headers.contains_key(AUTHORIZATION);
        let traceparent = headers.get("traceparent").filter(|_| may_say)?;
        traceparent.to_str().ok()
    }
}

impl RequestMetrics {
    fn new() -> Self {
        Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(histogram as fn() -> Histogram),
        }
    }
}

/// Registers the metrics.
pub(super) fn register(registry: &mut Registry) {
    registry.register(
        "http_requests",
        "Requests that were answered, by the template of their route",
        METRICS.requests.clone(),
    );
    registry.register_with_unit(
        "http_request_duration",
        "Time from a request to the head of its answer, long polls included",
        Unit::Seconds,
        METRICS.durations.clone(),
    );
}

/// Buckets from 1 ms to 16 s.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 4.0, 8))
}

/// The span of a request, as a child of the caller's if callers may decide.
fn span_of(method: &'static str, route: Option<&str>, traceparent: Option<&str>) -> Span {
    let (known, method) = match method {
        OTHER_METHOD => ("HTTP", "_OTHER"),
        known => (known, known),
    };
    info_span!(
        target: TARGET,
        "request",
        otel.kind = "server",
        otel.name = route.map_or_else(|| known.to_owned(), |route| format!("{known} {route}")),
        traceparent,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    )
}

/// Label of the method; unknown methods share one.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::DELETE => "DELETE",
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::POST => "POST",
        Method::PUT => "PUT",
        _ => OTHER_METHOD,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_request_belongs_to_its_callers_trace_only_at_an_api_and_with_a_key() {
        let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let mut keyless = HeaderMap::new();
        keyless.insert("traceparent", HeaderValue::from_static(traceparent));
        let mut keyed = keyless.clone();
        keyed.insert(AUTHORIZATION, HeaderValue::from_static("Bearer key"));

        assert_eq!(TracedBy::Caller.traceparent(&keyed), Some(traceparent));
        for (traced_by, headers) in [(TracedBy::Caller, &keyless), (TracedBy::Host, &keyed)] {
            assert_eq!(traced_by.traceparent(headers), None, "{traced_by:?}");
        }
    }
}
