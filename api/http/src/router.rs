//! The routes of an API.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::any;

use crate::api::Api;
use crate::config::HttpConfig;
use crate::edge::{BodyBudget, edge, gate};
use crate::operation::{Operation, method_not_allowed};
use crate::problem::ProblemFormat;
use crate::reference::{Reference, pages};
use crate::refusals;
use crate::served::Http;

/// Operations of an API, and its documentation.
pub struct Surface<A: Api, F> {
    /// The folders that all its paths are in, such as `/v1`.
    pub roots: &'static [&'static str],
    /// Operations in documentation order.
    pub operations: Vec<Operation<A>>,
    /// Format of its refusals.
    pub format: F,
    /// Documentation of the API.
    pub reference: Reference<A>,
}

/// Operations of an API, its description under `openapi.json` and `openapi.yaml`, and the pages in
/// `docs` and under `problems`. Complete with its edge and an answer for every other path.
pub fn router<A: Api, F: ProblemFormat>(
    api: Arc<A>,
    config: HttpConfig,
    surface: Surface<A, F>,
) -> Router {
    let (routes, format) = routes(api, config, surface);
    edge(routes.fallback(refusals::not_found), format)
}

/// The API's router without an answer for paths outside its folders: for merging with another API,
/// which answers those.
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
    let contracts = operations.iter();
    let contracts = contracts.map(|operation| Arc::clone(&operation.contract));
    let http = Http {
        api,
        budget: BodyBudget::new(config.max_bytes_in_flight),
        config: Arc::new(config),
        contracts: contracts.collect(),
        reference: Arc::new(reference),
    };
    let paths: Vec<_> = http
        .contracts
        .iter()
        .map(|contract| contract.path)
        .collect();
    let served = operations
        .into_iter()
        .fold(Router::new(), |router, operation| {
            router.route(operation.contract.path, operation.route)
        })
        .method_not_allowed_fallback(method_not_allowed::<A>);
    let served = roots
        .iter()
        .fold(served, |served, root| served.merge(unknown(root, &paths)))
        .layer(from_fn_with_state(http.clone(), gate::<A>))
        .with_state(http.clone());
    let pages = pages(http, Arc::clone(&format));
    (served.merge(pages), format)
}

/// An answer for every path in the folder `root` that is not in `paths`. A path that begins with an
/// id allows no wildcard beside it.
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
