//! The routes of an API.

use std::sync::Arc;

use axum::Router;
use axum::extract::RawPathParams;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};
use serde::Serialize;

use crate::api::Api;
use crate::config::HttpConfig;
use crate::edge::{BodyBudget, edge, gate};
use crate::operation::{Contract, Operation};
use crate::problem::ProblemFormat;
use crate::reference::{Reference, pages};
use crate::refusals;

/// What an API offers, and how it speaks of it.
pub struct Surface<A: Api, F> {
    /// The folders that all its paths are in, such as `/v1`.
    pub roots: &'static [&'static str],
    /// In the order in which they are documented.
    pub operations: Vec<Operation<A>>,
    /// How it writes its refusals.
    pub format: F,
    /// What is told of it as a whole.
    pub reference: Reference<A>,
}

/// The operations of an API, its description under `openapi.json` and
/// `openapi.yaml`, the pages `docs` and those under `problems`, complete with
/// its edge and an answer for every other path.
pub fn router<A: Api, F: ProblemFormat>(
    api: Arc<A>,
    config: HttpConfig,
    surface: Surface<A, F>,
) -> Router {
    let (routes, format) = routes(api, config, surface);
    edge(routes.fallback(refusals::not_found), format)
}

/// The same without an answer for paths outside of its folders: for an API that
/// is merged with another one, which answers them.
pub fn beside<A: Api, F: ProblemFormat>(
    api: Arc<A>,
    config: HttpConfig,
    surface: Surface<A, F>,
) -> Router {
    let (routes, format) = routes(api, config, surface);
    edge(routes, format)
}

fn routes<A: Api, F: ProblemFormat>(
    api: Arc<A>,
    config: HttpConfig,
    surface: Surface<A, F>,
) -> (Router, Arc<F>) {
    let Surface {
        roots,
        operations,
        format,
        reference,
    } = surface;
    let format = Arc::new(format);
    let http = Http {
        api,
        budget: BodyBudget::new(config.max_bytes_in_flight),
        config: Arc::new(config),
        operations: Arc::new(operations),
        reference: Arc::new(reference),
    };
    let paths = http.operations.iter();
    let paths: Vec<_> = paths.map(|operation| operation.contract.path).collect();
    let served = http
        .operations
        .iter()
        .fold(Router::new(), |router, operation| {
            router.route(operation.contract.path, operation.route.clone())
        })
        .method_not_allowed_fallback(refusals::method_not_allowed::<A>);
    let served = roots
        .iter()
        .fold(served, |served, root| served.merge(unknown(root, &paths)))
        .layer(from_fn_with_state(http.clone(), gate::<A>))
        .with_state(http.clone());
    let pages = pages(http, Arc::clone(&format));
    (served.merge(pages), format)
}

/// An answer for every path in the folder `root` that is none of `paths`. A path
/// that begins with an id leaves no place for a wildcard beside it.
fn unknown<S: Clone + Send + Sync + 'static>(root: &str, paths: &[&str]) -> Router<S> {
    let id_first = format!("{root}/{{");
    let others: &[&str] = match paths.iter().any(|path| path.starts_with(&id_first)) {
        true => &[
            "",
            "/",
            "/{first}",
            "/{first}/",
            "/{first}/{second}",
            "/{first}/{second}/",
            "/{first}/{second}/{*rest}",
        ],
        false => &["", "/", "/{*unknown}"],
    };
    let known: Vec<String> = paths.iter().map(|path| shape(path)).collect();
    let others = others.iter().map(|other| format!("{root}{other}"));
    others
        .filter(|other| !known.contains(&shape(other)))
        .fold(Router::new(), |router, other| {
            router.route(&other, any(refusals::not_found))
        })
}

/// A template without the names of its parameters: two of one shape are one to
/// the router.
fn shape(template: &str) -> String {
    let segments = template.split('/').map(|segment| match segment {
        named if named.starts_with('{') => "{}",
        literal => literal,
    });
    segments.collect::<Vec<_>>().join("/")
}

/// What every operation works with.
pub(crate) struct Http<A: Api> {
    pub(crate) api: Arc<A>,
    pub(crate) config: Arc<HttpConfig>,
    pub(crate) budget: BodyBudget,
    pub(crate) operations: Arc<Vec<Operation<A>>>,
    pub(crate) reference: Arc<Reference<A>>,
}

impl<A: Api> Clone for Http<A> {
    fn clone(&self) -> Self {
        Self {
            api: Arc::clone(&self.api),
            config: Arc::clone(&self.config),
            budget: self.budget.clone(),
            operations: Arc::clone(&self.operations),
            reference: Arc::clone(&self.reference),
        }
    }
}

impl<A: Api> Http<A> {
    /// What a path of this template has with a method; with one that it has not,
    /// what it has with another.
    pub(crate) fn contract(&self, template: &str, method: &Method) -> Option<&Contract<A>> {
        let contracts = self.operations.iter().map(|operation| &*operation.contract);
        let mut contracts = contracts.filter(|contract| contract.path == template);
        let first = contracts.next()?;
        let method = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        let exact = contracts.find(|contract| contract.method == *method);
        Some(exact.filter(|_| first.method != *method).unwrap_or(first))
    }

    /// The methods of a path of this template, as `Allow` lists them (RFC 9110,
    /// 10.2.1).
    pub(crate) fn allowed(&self, template: &str) -> HeaderValue {
        let contracts = self.operations.iter().map(|operation| &operation.contract);
        let contracts = contracts.filter(|contract| contract.path == template);
        let methods = contracts.flat_map(|contract| {
            let has_head = contract.method == Method::GET && contract.has_head;
            [Some(contract.method.as_str()), has_head.then_some("HEAD")]
        });
        let methods: Vec<_> = methods.flatten().collect();
        HeaderValue::try_from(methods.join(",")).expect("methods are tokens")
    }

    /// The record that a path of this template names, if it has ids; none when
    /// it can be none.
    pub(crate) fn record(
        &self,
        template: &str,
        params: &RawPathParams,
    ) -> Option<Option<A::Record>> {
        let mut contracts = self.operations.iter().map(|operation| &operation.contract);
        let contract = contracts.find(|contract| contract.path == template)?;
        (contract.record)(params)
    }
}

pub(crate) fn json(status: StatusCode, view: &impl Serialize) -> Response {
    let body =
        serde_json::to_vec(view).expect("a view of strings, numbers and lists always serialises");
    (
        status,
        [(CONTENT_TYPE, "application/json")],
        Bytes::from(body),
    )
        .into_response()
}
